"""Separate ScaledDotProduct module, split_heads/merge_heads methods, dropout p>0 that is silent in eval."""

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
        self.core = self.Core(0.1)

    class Core(nn.Module):
        def __init__(self, p):
            super().__init__()
            self.drop = nn.Dropout(p)

        def forward(self, q, k, v, keep):
            s = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
            if keep is not None:
                s = s.masked_fill(keep == 0, -1e9)
            a = s.softmax(-1)
            return self.drop(a) @ v, a

    def split_heads(self, t):
        return t.view(t.size(0), t.size(1), self.h, self.dk).transpose(1, 2)

    def merge_heads(self, t):
        return t.transpose(1, 2).contiguous().view(t.size(0), -1, self.h * self.dk)

    def forward(self, q, k, v, pad=None):
        keep = None if pad is None else (~pad).long()[:, None, None]
        ctx, a = self.core(*(self.split_heads(f(t)) for f, t in ((self.W_q, q), (self.W_k, k), (self.W_v, v))), keep)
        return self.W_o(self.merge_heads(ctx)), a
