"""Exp / sum with max subtraction, multiplicative mask then renormalise (mask after exp)."""

import math

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
        cut = lambda t: t.view(t.size(0), t.size(1), self.h, self.dk).transpose(1, 2)
        Q, K, U = cut(self.W_q(q)), cut(self.W_k(k)), cut(self.W_v(v))
        s = Q.matmul(K.transpose(2, 3)) / math.sqrt(self.dk)
        e = (s - s.amax(-1, keepdim=True)).exp()
        if pad is not None:
            e = e * (~pad)[:, None, None, :]
        p = e / e.sum(-1, keepdim=True)
        return self.W_o(p.matmul(U).transpose(1, 2).reshape(q.size(0), q.size(1), -1)), p
