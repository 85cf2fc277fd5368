"""Fold heads into batch (B*h), repeat_interleave mask, bmm."""

import math

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

    def _fold(self, t):
        bb, n, _ = t.shape
        return t.view(bb, n, self.h, self.dk).transpose(1, 2).reshape(bb * self.h, n, self.dk)

    def forward(self, q, k, v, pad=None):
        bb, n, m = q.shape[0], q.shape[1], k.shape[1]
        Q, K, U = self._fold(self.W_q(q)), self._fold(self.W_k(k)), self._fold(self.W_v(v))
        s = torch.bmm(Q, K.transpose(1, 2)).div_(math.sqrt(self.dk))
        if pad is not None:
            s = s.masked_fill(pad.repeat_interleave(self.h, dim=0)[:, None, :], float("-inf"))
        p = s.softmax(2)
        ctx = torch.bmm(p, U).view(bb, self.h, n, self.dk).transpose(1, 2).reshape(bb, n, -1)
        return self.W_o(ctx), p.view(bb, self.h, n, m)
