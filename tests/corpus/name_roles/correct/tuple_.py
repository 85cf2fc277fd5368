"""A right answer in a style of its own: tuple."""


def name_roles(profile, full, ablated):
    def role(p, a):
        for c, o, n in ((0, 1, "previous"), (1, 0, "first")):
            if p[c] > 0.8 and full[c] > 0.9 and a[c] < 0.25 and full[o] - a[o] <= 0.05:
                return n
        return "unclear"

    return tuple(map(role, profile, ablated))
