"""Parameters cut per head with tensordot, and the additive mask broadcast over a five-dimensional tensor."""

import math

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
        def cut(layer, x):
            weight = layer.weight.view(self.h, self.d_k, self.d_model)
            return torch.tensordot(x, weight, dims=([2], [2])) + layer.bias.view(self.h, self.d_k)

        Q, K, V = cut(self.W_q, q), cut(self.W_k, k), cut(self.W_v, v)
        scores = (Q[:, :, None] * K[:, None]).sum(-1).permute(0, 3, 1, 2) / math.sqrt(self.d_k)
        if pad is not None:
            scores = scores + pad.float().mul(-1e9)[:, None, None, :]
        weights = scores.softmax(-1)
        context = (weights.permute(0, 2, 3, 1)[..., None] * V[:, None]).sum(2)
        out = torch.tensordot(context, self.W_o.weight.view(self.d_model, self.h, self.d_k), dims=([2, 3], [1, 2]))
        return out + self.W_o.bias, weights
