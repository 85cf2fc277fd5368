"""A right answer in a style of its own: floats."""


def attention_cost(n, d_model, h):
    return 2.0 * n**2 * d_model, 2.0 * n**2 * d_model, 8.0 * n * d_model**2, float(h * n**2)
