"""A right answer in a style of its own: fused kv cat."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h:
            raise ValueError
        self.h, self.E = h, d_model
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, q, k, v, pad=None):
        if pad is None:
            pad = torch.zeros(k.shape[:2], dtype=torch.bool)
        x = torch.cat([q, k, v], 1)
        W = torch.cat([self.W_q.weight, self.W_k.weight, self.W_v.weight])
        b = torch.cat([self.W_q.bias, self.W_k.bias, self.W_v.bias])
        y = F.linear(x, W, b)
        a, c = q.shape[1], q.shape[1] + k.shape[1]
        Q, K, V = y[:, :a, : self.E], y[:, a:c, self.E : 2 * self.E], y[:, c:, 2 * self.E :]
        Q, K, V = (t.reshape(*t.shape[:2], self.h, -1) for t in (Q, K, V))
        s = torch.einsum("bqhd,bkhd->bqkh", Q, K) / math.sqrt(self.E // self.h)
        s = s - 1e12 * pad[:, None, :, None].float()
        w = s.softmax(dim=2)
        o = torch.einsum("bqkh,bkhd->bqhd", w, V)
        return F.linear(o.flatten(-2), self.W_o.weight, self.W_o.bias), w.permute(0, 3, 1, 2)
