"""Chunk + cat on dim 0 (h*B, head major), mask tiled with repeat."""

import torch
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
        bb = q.shape[0]
        stack = lambda t: torch.cat(t.chunk(self.h, dim=2), dim=0)
        Q, K, U = stack(self.W_q(q)), stack(self.W_k(k)), stack(self.W_v(v))
        s = Q.bmm(K.transpose(1, 2)) / self.dk**0.5
        if pad is not None:
            s = s.masked_fill(pad.repeat(self.h, 1).unsqueeze(1), float("-inf"))
        p = s.softmax(-1)
        ctx = torch.cat(p.bmm(U).split(bb, dim=0), dim=2)
        return self.W_o(ctx), p.unflatten(0, (self.h, bb)).transpose(0, 1)
