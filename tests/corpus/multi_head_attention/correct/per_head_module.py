"""A small function per head that sees only its rows of the weights; outputs added up through slices of W_o."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h != 0:
            raise ValueError(f"{d_model} is not divisible by {h}")
        self.d_model, self.h, self.d_k = d_model, h, d_model // h
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def one_head(self, i, q, k, v, pad):
        rows = slice(i * self.d_k, (i + 1) * self.d_k)
        Q = F.linear(q, self.W_q.weight[rows], self.W_q.bias[rows])
        K = F.linear(k, self.W_k.weight[rows], self.W_k.bias[rows])
        V = F.linear(v, self.W_v.weight[rows], self.W_v.bias[rows])
        scores = Q @ K.mT / self.d_k**0.5
        if pad is not None:
            scores = scores + torch.where(pad, -math.inf, 0.0)[:, None, :]
        weights = scores.softmax(-1)
        return (weights @ V) @ self.W_o.weight[:, rows].T, weights

    def forward(self, q, k, v, pad=None):
        outs, maps = zip(*(self.one_head(i, q, k, v, pad) for i in range(self.h)), strict=True)
        return sum(outs) + self.W_o.bias, torch.stack(maps, dim=1)
