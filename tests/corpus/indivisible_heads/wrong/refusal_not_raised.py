"""refusal-not-raised, in a style of its own."""

indivisible_heads_symptom = "crash"


def indivisible_heads(x, h):
    if x.size(-1) % h:
        return None
    return x.unflatten(-1, (h, -1)).movedim(2, 1)
