"""F.scaled_dot_product_attention with an additive float mask; weights by an identity in place of the values."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h != 0:
            raise ValueError(f"{d_model} is not divisible by {h}")
        self.d_model, self.h, self.d_k = d_model, h, d_model // h
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, q, k, v, pad=None):
        def cut(x):
            return x.view(x.shape[0], x.shape[1], self.h, self.d_k).transpose(1, 2)

        Q, K, V = cut(self.W_q(q)), cut(self.W_k(k)), cut(self.W_v(v))
        bias = None
        if pad is not None:
            bias = torch.zeros(pad.shape).masked_fill(pad, -math.inf)[:, None, None, :]
        one = torch.eye(k.shape[1]).expand(q.shape[0], self.h, -1, -1)
        weights = F.scaled_dot_product_attention(Q, K, one, attn_mask=bias)
        out = F.scaled_dot_product_attention(Q, K, V, attn_mask=bias)
        return self.W_o(out.transpose(1, 2).flatten(2)), weights
