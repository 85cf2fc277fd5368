"""weights-averaged-over-heads, in a style of its own."""


def head_weights(mha, x):
    return mha(x, x, x)[1]
