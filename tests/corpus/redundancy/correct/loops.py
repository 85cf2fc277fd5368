"""A right answer in a style of its own: loops."""


def redundancy(full, ablated):
    d = [float(f) - float(a) for f, row in zip(full, ablated) for a in row]
    return sum(d) / len(d), max(d)
