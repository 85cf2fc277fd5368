"""A right answer in a style of its own: by building."""


def count_parameters(d_model, h):
    layer = MultiHeadAttention(d_model, h) if d_model % h == 0 else None
    return sum(p.numel() for p in layer.parameters())
