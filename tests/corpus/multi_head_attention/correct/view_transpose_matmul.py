"""View + transpose(1,2), @, -inf masked_fill, contiguous().view merge."""

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
        b = q.size(0)
        qs = self.W_q(q).view(b, -1, self.h, self.dk).transpose(1, 2)
        ks = self.W_k(k).view(b, -1, self.h, self.dk).transpose(1, 2)
        vs = self.W_v(v).view(b, -1, self.h, self.dk).transpose(1, 2)
        logits = qs @ ks.transpose(-2, -1) / math.sqrt(self.dk)
        if pad is not None:
            logits = logits.masked_fill(pad[:, None, None, :], float("-inf"))
        prob = logits.softmax(-1)
        mixed = (prob @ vs).transpose(1, 2).contiguous().view(b, -1, self.h * self.dk)
        return self.W_o(mixed), prob
