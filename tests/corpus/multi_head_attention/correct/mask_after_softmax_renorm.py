"""Softmax first, zero padded keys, divide by the remaining sum - equal to masking before."""

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

    def forward(self, q, k, v, pad=None):
        cut = lambda t: t.reshape(t.size(0), -1, self.h, self.dk).transpose(1, 2)
        Q, K, U = cut(self.W_q(q)), cut(self.W_k(k)), cut(self.W_v(v))
        p = torch.softmax(Q @ K.mT / math.sqrt(self.dk), -1)
        if pad is not None:
            p = p.masked_fill(pad[:, None, None], 0.0)
            p = p / p.sum(-1, keepdim=True)
        return self.W_o((p @ U).transpose(1, 2).flatten(2)), p
