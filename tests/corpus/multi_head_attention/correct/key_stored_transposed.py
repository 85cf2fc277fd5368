"""Key permuted to (b,h,d,n) once; matmul without transpose."""

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
        bb = len(q)
        Q = self.W_q(q).view(bb, -1, self.h, self.dk).permute(0, 2, 1, 3)
        Kt = self.W_k(k).view(bb, -1, self.h, self.dk).permute(0, 2, 3, 1)
        U = self.W_v(v).view(bb, -1, self.h, self.dk).permute(0, 2, 1, 3)
        s = torch.matmul(Q, Kt) / Q.shape[-1] ** 0.5
        if pad is not None:
            s = s.masked_fill(pad.reshape(bb, 1, 1, -1).expand_as(s), -1e18)
        p = nn.Softmax(dim=-1)(s)
        return self.W_o(torch.matmul(p, U).permute(0, 2, 1, 3).contiguous().view(bb, -1, self.h * self.dk)), p
