"""A right answer in a style of its own: loop fill."""


def merge_heads(heads):
    B, h, n, d = heads.shape
    out = heads.new_empty(B, n, h * d)
    for t in range(n):
        out[:, t] = heads[:, :, t].reshape(B, -1)
    return out
