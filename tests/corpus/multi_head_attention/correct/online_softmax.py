"""Online softmax: one key at a time, a running maximum and a running sum, weights normalised at the end."""

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
        Q, K, V = (
            layer(x).unflatten(-1, (self.h, self.d_k)).transpose(1, 2)
            for layer, x in ((self.W_q, q), (self.W_k, k), (self.W_v, v))
        )
        B, h, n_q, d_k = Q.shape
        best = torch.full((B, h, n_q, 1), -math.inf)
        total = torch.zeros(B, h, n_q, 1)
        mixed = torch.zeros(B, h, n_q, d_k)
        columns = []
        for j in range(K.shape[2]):
            score = (Q * K[:, :, j : j + 1]).sum(-1, keepdim=True) / math.sqrt(d_k)
            if pad is not None:
                score = score.masked_fill(pad[:, j].view(B, 1, 1, 1), -math.inf)
            columns.append(score)
            better = torch.maximum(best, score)
            old = torch.exp(best - better).nan_to_num(0.0)
            new = torch.exp(score - better).nan_to_num(0.0)
            total = total * old + new
            mixed = mixed * old + new * V[:, :, j : j + 1]
            best = better
        weights = torch.exp(torch.cat(columns, -1) - best) / total
        return self.W_o((mixed / total).transpose(1, 2).reshape(B, n_q, -1)), weights
