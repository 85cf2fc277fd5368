"""Scale folded into the query projection."""

import math

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
        g = 1 / math.sqrt(self.dk)
        Q = F.linear(q, self.W_q.weight * g, self.W_q.bias * g)
        Q, K, U = (t.unflatten(-1, (self.h, self.dk)).transpose(1, 2) for t in (Q, self.W_k(k), self.W_v(v)))
        s = Q @ K.transpose(-1, -2)
        if pad is not None:
            s = s.masked_fill(pad[:, None, None], float("-inf"))
        p = s.softmax(-1)
        return self.W_o((p @ U).transpose(1, 2).flatten(2)), p
