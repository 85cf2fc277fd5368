"""Weights reshaped per head, einsum straight from the input."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h:
            raise ValueError(f"d_model={d_model} is not divisible by h={h}")
        self.h, self.dk = h, d_model // h
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, q, k, v, pad=None):
        per = lambda lin: (lin.weight.view(self.h, self.dk, -1), lin.bias.view(self.h, 1, self.dk))
        (wq, bq), (wk, bk), (wv, bv) = per(self.W_q), per(self.W_k), per(self.W_v)
        Q = torch.einsum("bnm,hdm->bhnd", q, wq) + bq
        K = torch.einsum("bnm,hdm->bhnd", k, wk) + bk
        U = torch.einsum("bnm,hdm->bhnd", v, wv) + bv
        s = torch.einsum("bhnd,bhmd->bhnm", Q, K) / math.sqrt(self.dk)
        if pad is not None:
            s = torch.where(pad[:, None, None], s.new_tensor(float("-inf")), s)
        p = s.softmax(dim=-1)
        wo = self.W_o.weight.view(-1, self.h, self.dk)
        return torch.einsum("bhnm,bhmd,ohd->bno", p, U, wo) + self.W_o.bias, p
