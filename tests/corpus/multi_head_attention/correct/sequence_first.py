"""Sequence first inside: (n, B * h, d_k) views as in the oldest torch code, and bmm."""

import math

import torch
import torch.nn.functional as F
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
        B, n_q, d = q.shape
        n_k = k.shape[1]
        q, k, v = self.W_q(q.transpose(0, 1)), self.W_k(k.transpose(0, 1)), self.W_v(v.transpose(0, 1))
        q = (q / math.sqrt(self.d_k)).contiguous().view(n_q, B * self.h, self.d_k).transpose(0, 1)
        k = k.contiguous().view(n_k, B * self.h, self.d_k).transpose(0, 1)
        v = v.contiguous().view(n_k, B * self.h, self.d_k).transpose(0, 1)
        scores = torch.bmm(q, k.transpose(1, 2))
        if pad is not None:
            scores = scores.view(B, self.h, n_q, n_k)
            scores = scores.masked_fill(pad.unsqueeze(1).unsqueeze(2), float("-inf"))
            scores = scores.view(B * self.h, n_q, n_k)
        weights = F.softmax(scores, dim=-1)
        out = torch.bmm(weights, v).transpose(0, 1).contiguous().view(n_q, B, d)
        return self.W_o(out).transpose(0, 1), weights.view(B, self.h, n_q, n_k)
