"""A right answer in a style of its own: hand."""


def sdpa(Q, K, V, pad):
    s = Q @ K.mT * Q.shape[-1] ** -0.5 - 1e9 * pad[:, None, None].float()
    return s.softmax(-1) @ V
