"""A right answer in a style of its own: deepcopy."""

import copy

import torch


def ablate_head(attention, x, i):
    a = copy.deepcopy(attention)
    with torch.no_grad():
        a.W_o.weight.view(-1, a.h, a.d_k)[:, i] = 0
    return a(x)[0]
