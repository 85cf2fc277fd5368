"""Softmax by hand with a 0/1 mask in the numerator and in the denominator."""

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

    def forward(self, q, k, v, pad=None):
        Q, K, V = (
            torch.stack(layer(x).chunk(self.h, dim=-1), 1)
            for layer, x in zip((self.W_q, self.W_k, self.W_v), (q, k, v), strict=True)
        )
        scores = torch.einsum("bhid,bhjd->bhij", Q, K) / self.d_k**0.5
        keep = torch.ones_like(scores) if pad is None else 1.0 - pad[:, None, None, :].float()
        shifted = torch.exp(scores - scores.max(-1, keepdim=True).values) * keep
        weights = shifted / shifted.sum(-1, keepdim=True)
        return self.W_o(torch.cat(list((weights @ V).unbind(1)), -1)), weights
