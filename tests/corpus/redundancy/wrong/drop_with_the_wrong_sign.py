"""drop-with-the-wrong-sign, in a style of its own."""


def redundancy(full, ablated):
    d = ablated - full[:, None]
    return d.mean().item(), d.max().item()
