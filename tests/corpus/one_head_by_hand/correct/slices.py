"""A right answer in a style of its own: slices."""

import torch


def one_head_by_hand(x, state, h, i):
    d = x.shape[-1] // h
    r = range(i * d, (i + 1) * d)
    Q, K, V = (x @ state[f"W_{c}.weight"][list(r)].T + state[f"W_{c}.bias"][list(r)] for c in "qkv")
    w = torch.softmax(Q @ K.mT * d**-0.5, 2)
    return w @ V, w
