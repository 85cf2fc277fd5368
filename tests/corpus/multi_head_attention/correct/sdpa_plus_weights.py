"""F.scaled_dot_product_attention for the output, weights recomputed."""

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
        cut = lambda t: t.unflatten(2, (self.h, -1)).transpose(1, 2)
        Q, K, U = cut(self.W_q(q)), cut(self.W_k(k)), cut(self.W_v(v))
        keep = None if pad is None else ~pad[:, None, None, :]  # sdpa: True = take part
        ctx = F.scaled_dot_product_attention(Q, K, U, attn_mask=keep)
        s = Q @ K.transpose(2, 3) / math.sqrt(self.dk)
        if keep is not None:
            s = s.masked_fill(~keep, float("-inf"))
        return self.W_o(ctx.transpose(1, 2).flatten(2)), s.softmax(-1)
