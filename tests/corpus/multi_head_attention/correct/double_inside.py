"""Computes in float64 and gives float32 back."""

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
            y = x.double() @ layer.weight.double().T + layer.bias.double()
            return y.view(y.shape[0], y.shape[1], self.h, self.d_k).transpose(1, 2)

        Q, K, V = cut(self.W_q, q), cut(self.W_k, k), cut(self.W_v, v)
        scores = Q @ K.transpose(-1, -2) / math.sqrt(self.d_k)
        if pad is not None:
            scores[pad[:, None, None, :].expand_as(scores)] = -math.inf
        weights = torch.exp(scores - torch.logsumexp(scores, -1, keepdim=True))
        merged = (weights @ V).transpose(1, 2).flatten(2)
        out = merged @ self.W_o.weight.double().T + self.W_o.bias.double()
        return out.float(), weights.float()
