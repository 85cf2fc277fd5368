"""output-instead-of-weights, in a style of its own."""


def head_weights(mha, x):
    return mha(x, x, x, average_attn_weights=False)[0]
