"""Mask as bias inside baddbmm, alpha carries the scale."""

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
        bb, n, m = q.shape[0], q.shape[1], k.shape[1]
        f = lambda lin, t, L: lin(t).view(bb, L, self.h, self.dk).transpose(1, 2).reshape(-1, L, self.dk)
        Q, K, U = f(self.W_q, q, n), f(self.W_k, k, m), f(self.W_v, v, m)
        bias = Q.new_zeros(bb, self.h, 1, m)
        if pad is not None:
            bias = bias.masked_fill(pad[:, None, None], float("-inf"))
        s = torch.baddbmm(bias.view(-1, 1, m).expand(-1, n, m), Q, K.mT, alpha=self.dk**-0.5)
        p = s.softmax(-1)
        ctx = torch.bmm(p, U).unflatten(0, (bb, self.h)).transpose(1, 2).flatten(2)
        return self.W_o(ctx), p.unflatten(0, (bb, self.h))
