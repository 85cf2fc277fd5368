"""Reshape + permute(0,2,1,3), finfo.min fill, reshape merge."""

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

    def _cut(self, t):
        bb, n, _ = t.shape
        return t.reshape(bb, n, self.h, self.dk).permute(0, 2, 1, 3)

    def _glue(self, t):
        bb, hh, n, dd = t.shape
        return t.permute(0, 2, 1, 3).reshape(bb, n, hh * dd)

    def forward(self, q, k, v, pad=None):
        Q, K, Vv = self._cut(self.W_q(q)), self._cut(self.W_k(k)), self._cut(self.W_v(v))
        s = torch.matmul(Q, K.permute(0, 1, 3, 2)) * self.dk**-0.5
        if pad is not None:
            s = s.masked_fill(pad.unsqueeze(1).unsqueeze(2), torch.finfo(s.dtype).min)
        a = F.softmax(s, dim=3)
        return self.W_o(self._glue(torch.matmul(a, Vv))), a
