"""A loop over the sentences; padding is cut off instead of masked, and zeros are put back."""

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
        outs, maps = [], []
        for b in range(q.shape[0]):
            real = torch.ones(k.shape[1], dtype=torch.bool) if pad is None else ~pad[b]
            Q = self.W_q(q[b]).view(-1, self.h, self.d_k)
            K = self.W_k(k[b][real]).view(-1, self.h, self.d_k)
            V = self.W_v(v[b][real]).view(-1, self.h, self.d_k)
            weights = torch.einsum("ihd,jhd->hij", Q, K).div(math.sqrt(self.d_k)).softmax(-1)
            outs.append(torch.einsum("hij,jhd->ihd", weights, V).flatten(1))
            whole = torch.zeros(self.h, q.shape[1], k.shape[1])
            whole[:, :, real] = weights
            maps.append(whole)
        return self.W_o(torch.stack(outs)), torch.stack(maps)
