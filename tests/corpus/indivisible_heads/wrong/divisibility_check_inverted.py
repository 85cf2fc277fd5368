"""divisibility-check-inverted, in a style of its own."""

indivisible_heads_symptom = "crash"


def indivisible_heads(x, h):
    assert x.size(-1) % h, (x.size(-1), h)
    return x.unflatten(-1, (h, -1)).movedim(2, 1)
