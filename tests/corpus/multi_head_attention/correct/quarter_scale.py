"""The scale is shared out: d_k ** -0.25 on queries and on keys; values pass W_o before they are mixed."""

import torch
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
        g = self.d_k**-0.25
        Q = (self.W_q(q) * g).unflatten(2, (self.h, -1)).movedim(2, 1)
        K = (self.W_k(k) * g).unflatten(2, (self.h, -1)).movedim(2, 1)
        V = self.W_v(v).unflatten(2, (self.h, -1))
        W = self.W_o.weight.view(self.d_model, self.h, self.d_k)
        ready = torch.einsum("bjhd,ohd->bhjo", V, W)
        scores = torch.einsum("bhid,bhjd->bhij", Q, K)
        if pad is not None:
            scores = torch.where(pad[:, None, None, :], torch.tensor(-1e30), scores)
        weights = torch.softmax(scores, 3)
        return (weights @ ready).sum(1) + self.W_o.bias, weights
