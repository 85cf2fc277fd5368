"""A right answer in a style of its own: list ints."""


def attention_cost(n, d_model, h):
    d_k = d_model // h
    qk = sum(2 * n * d_k * n for _ in range(h))
    return [qk, qk, 4 * 2 * n * d_model * d_model, h * n * n]
