"""A right answer in a style of its own: loop."""

import torch


def attention_profile(weights):
    m, h, n, _ = weights.shape
    out = torch.zeros(h, 2)
    for i in range(2, n):
        out[:, 0] += weights[:, :, i, i - 1].mean(0)
        out[:, 1] += weights[:, :, i, 0].mean(0)
    return out / (n - 2)
