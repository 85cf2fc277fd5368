"""A right answer in a style of its own: tensors."""

import torch


def success_share(results):
    r = torch.tensor(results, dtype=torch.float64)
    n = len(r)
    k = int((r > 0.95).sum())
    p = k / n
    z = 1.96
    den = 1 + z * z / n
    c = (p + z * z / 2 / n) / den
    hw = z / den * ((p * (1 - p) + z * z / 4 / n) / n) ** 0.5
    return k, p, c - hw, c + hw
