"""drop-as-a-ratio, in a style of its own."""


def redundancy(full, ablated):
    d = 1 - ablated / full[:, None]
    return d.mean().item(), d.max().item()
