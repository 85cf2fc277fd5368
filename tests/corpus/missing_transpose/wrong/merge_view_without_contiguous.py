"""merge-view-without-contiguous, in a style of its own."""

missing_transpose_symptom = "silent"


def missing_transpose(weights, V):
    c = (weights @ V).permute(0, 2, 1, 3)
    return c.view(c.shape[0], c.shape[1], -1)
