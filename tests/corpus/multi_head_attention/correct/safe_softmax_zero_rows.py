"""Fully padded samples give zeros instead of NaN (nan_to_num)."""

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
        cut = lambda t: t.unflatten(-1, (self.h, self.dk)).transpose(1, 2)
        Q, K, U = cut(self.W_q(q)), cut(self.W_k(k)), cut(self.W_v(v))
        s = Q @ K.mT * self.dk**-0.5
        if pad is not None:
            s = s.masked_fill(pad[:, None, None], float("-inf"))
        p = torch.nan_to_num(s.softmax(-1), nan=0.0)
        return self.W_o((p @ U).transpose(1, 2).flatten(2)), p
