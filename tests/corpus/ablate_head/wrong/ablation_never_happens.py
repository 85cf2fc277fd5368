"""ablation-never-happens, in a style of its own."""


def ablate_head(attention, x, i):
    return attention(x)[0]
