"""A right answer in a style of its own: maxmin."""

import torch


@torch.no_grad()
def batch_invariance(mha, x, lengths, masked):
    pad = (torch.arange(x.shape[1])[None] >= lengths[:, None]) if masked else None
    y, _ = mha(x, x, x, pad, False)
    res = torch.zeros(len(x))
    for b in range(len(x)):
        s = x[b : b + 1].narrow(1, 0, int(lengths[b]))
        res[b] = torch.dist(y[b : b + 1, : s.shape[1]], mha(s, s, s)[0], p=float("inf"))
    return res
