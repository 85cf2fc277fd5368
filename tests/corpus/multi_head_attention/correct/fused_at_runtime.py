"""Q,k,v weights concatenated into one fused matmul when the inputs are the same tensor."""

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
        if q is k and k is v:
            w = torch.cat([self.W_q.weight, self.W_k.weight, self.W_v.weight])
            b = torch.cat([self.W_q.bias, self.W_k.bias, self.W_v.bias])
            Q, K, U = F.linear(q, w, b).reshape(*q.shape[:2], 3, self.h, self.dk).permute(2, 0, 3, 1, 4).unbind(0)
        else:
            Q, K, U = (
                f(t).reshape(*t.shape[:2], self.h, self.dk).transpose(1, 2)
                for f, t in ((self.W_q, q), (self.W_k, k), (self.W_v, v))
            )
        s = Q @ K.transpose(-1, -2) / math.sqrt(self.dk)
        if pad is not None:
            s = s.masked_fill(pad[:, None, None], float("-inf"))
        p = s.softmax(-1)
        return self.W_o((p @ U).transpose(1, 2).reshape(q.shape[0], q.shape[1], -1)), p
