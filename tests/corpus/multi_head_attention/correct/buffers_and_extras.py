"""Extra buffers, a LayerNorm that is not used, properties, keyword-only helpers."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0, "heads must divide the width"
        self.d_model, self.h, self.d_k = d_model, h, d_model // h
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)
        self.register_buffer("scale", torch.tensor(self.d_k).rsqrt())
        self.norm = nn.LayerNorm(d_model)

    @property
    def layers(self):
        return {"q": self.W_q, "k": self.W_k, "v": self.W_v}

    def heads(self, *, x, which):
        y = self.layers[which](x)
        return torch.stack(torch.split(y, self.d_k, dim=-1), dim=1)

    def forward(self, q, k, v, pad=None):
        Q, K, V = self.heads(x=q, which="q"), self.heads(x=k, which="k"), self.heads(x=v, which="v")
        scores = torch.matmul(Q, K.swapaxes(-1, -2)) * self.scale
        if pad is not None:
            scores = torch.masked_fill(scores, pad[:, None, None, :], -1e9)
        weights = torch.nn.Softmax(dim=-1)(scores)
        out = torch.cat([head.squeeze(1) for head in (weights @ V).split(1, dim=1)], dim=-1)
        return self.W_o(out), weights
