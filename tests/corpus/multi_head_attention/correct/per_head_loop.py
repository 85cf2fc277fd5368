"""Python loop over heads, slices of one projection, torch.cat."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h:
            raise ValueError(f"d_model={d_model} is not divisible by h={h}")
        self.h, self.dk = h, d_model // h
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, q, k, v, pad=None):
        Q, K, U = self.W_q(q), self.W_k(k), self.W_v(v)
        outs, maps = [], []
        for i in range(self.h):
            lo, hi = i * self.dk, (i + 1) * self.dk
            s = torch.bmm(Q[..., lo:hi], K[..., lo:hi].transpose(1, 2)) / math.sqrt(hi - lo)
            if pad is not None:
                s = s.masked_fill(pad[:, None, :], -1e9)
            p = F.softmax(s, -1)
            maps.append(p)
            outs.append(torch.bmm(p, U[..., lo:hi]))
        return self.W_o(torch.cat(outs, -1)), torch.stack(maps, 1)
