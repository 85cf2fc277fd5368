"""Einops.rearrange both ways."""

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
        from einops import rearrange

        Q, K, U = (
            rearrange(f(t), "b n (h d) -> b h n d", h=self.h) for f, t in ((self.W_q, q), (self.W_k, k), (self.W_v, v))
        )
        s = torch.einsum("b h i d, b h j d -> b h i j", Q, K) * self.dk**-0.5
        if pad is not None:
            s = s.masked_fill(rearrange(pad, "b j -> b 1 1 j"), float("-inf"))
        p = s.softmax(dim=-1)
        return self.W_o(rearrange(p @ U, "b h n d -> b n (h d)")), p
