"""A right answer in a style of its own: numpyseed."""

import torch


def make_batch(m, seed):
    g = torch.Generator()
    g.manual_seed(int(seed))
    X = (torch.rand(m, N, generator=g) * K).long().clamp(max=K - 1)
    return [X, X.roll(1, 1)[:, 1:], X[:, [0] * (N - 1)]]
