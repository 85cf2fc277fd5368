"""A right answer in a style of its own: nan guard zero rows."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h:
            raise ValueError
        self.h = h
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, q, k, v, pad=None):
        B, n, D = q.shape
        Q = self.W_q(q).view(B, n, self.h, -1).transpose(1, 2)
        K = self.W_k(k).view(B, -1, self.h, D // self.h).transpose(1, 2)
        V = self.W_v(v).view(B, -1, self.h, D // self.h).transpose(1, 2)
        e = torch.exp(Q @ K.transpose(-2, -1) / (D // self.h) ** 0.5)
        if pad is not None:
            e = e * (1 - pad.float())[:, None, None, :]
        w = e / (e.sum(-1, keepdim=True) + 1e-12)
        return self.W_o((w @ V).transpose(1, 2).contiguous().view(B, n, D)), w
