"""torch.vmap over the batch and over the heads of a function for two-dimensional tensors."""

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
        if pad is None:
            pad = torch.zeros(k.shape[:2], dtype=torch.bool)

        def one(Q, K, V, hidden):
            scores = Q @ K.T / self.d_k**0.5
            weights = scores.masked_fill(hidden[None, :], -math.inf).softmax(-1)
            return weights @ V, weights

        def cut(x):
            return x.unflatten(-1, (self.h, self.d_k))

        heads = torch.vmap(torch.vmap(one, in_dims=(1, 1, 1, None), out_dims=(1, 0)))
        out, weights = heads(cut(self.W_q(q)), cut(self.W_k(k)), cut(self.W_v(v)), pad)
        return self.W_o(out.flatten(-2)), weights
