"""role-from-weights-alone, in a style of its own."""


def name_roles(profile, full, ablated):
    return ["previous" if p[0] > 0.8 else "first" if p[1] > 0.8 else "unclear" for p in profile]
