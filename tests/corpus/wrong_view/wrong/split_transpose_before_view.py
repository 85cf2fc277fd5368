"""split-transpose-before-view, in a style of its own."""

wrong_view_symptom = "silent"


def wrong_view(x, h):
    B, n, d = x.shape
    return x.mT.reshape(B, h, n, d // h)
