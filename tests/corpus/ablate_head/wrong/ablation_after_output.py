"""ablation-after-output, in a style of its own."""


def ablate_head(attention, x, i):
    y = attention(x)[0].clone()
    y[..., i * attention.d_k : (i + 1) * attention.d_k] = 0
    return y
