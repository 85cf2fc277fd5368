"""No transpose at all: einsum over (b,n,h,d)."""

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
        shp = lambda t: t.reshape(*t.shape[:2], self.h, self.dk)
        a, b, c = shp(self.W_q(q)), shp(self.W_k(k)), shp(self.W_v(v))
        e = torch.einsum("bihd,bjhd->bhij", a, b) / self.dk**0.5
        if pad is not None:
            e = e + torch.zeros_like(pad, dtype=e.dtype).masked_fill(pad, -torch.inf)[:, None, None]
        w = torch.softmax(e, dim=-1)
        ctx = torch.einsum("bhij,bjhd->bihd", w, c).flatten(2)
        return self.W_o(ctx), w
