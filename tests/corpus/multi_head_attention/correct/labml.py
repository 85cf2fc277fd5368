"""In the manner of labml: sequence first inside, einsum 'ibhd,jbhd->ijbh', softmax over axis 1."""

import math

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
        self.softmax = nn.Softmax(dim=1)

    def prepare(self, layer, x):
        x = layer(x.transpose(0, 1))
        return x.view(*x.shape[:-1], self.h, self.d_k)

    def forward(self, query, key, value, pad=None):
        query, key, value = self.prepare(self.W_q, query), self.prepare(self.W_k, key), self.prepare(self.W_v, value)
        scores = torch.einsum("ibhd,jbhd->ijbh", query, key)
        scores *= 1 / math.sqrt(self.d_k)
        if pad is not None:
            scores = scores.masked_fill(pad.t()[None, :, :, None], float("-inf"))
        attn = self.softmax(scores)
        x = torch.einsum("ijbh,jbhd->ibhd", attn, value)
        x = x.reshape(x.shape[0], x.shape[1], -1)
        return self.W_o(x).transpose(0, 1), attn.permute(2, 3, 0, 1)
