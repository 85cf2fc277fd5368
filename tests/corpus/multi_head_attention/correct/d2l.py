"""In the manner of d2l: heads folded into the batch, lengths repeated, transpose_qkv and transpose_output."""

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

    def transpose_qkv(self, X):
        X = X.reshape(X.shape[0], X.shape[1], self.h, -1)
        X = X.permute(0, 2, 1, 3)
        return X.reshape(-1, X.shape[2], X.shape[3])

    def transpose_output(self, X):
        X = X.reshape(-1, self.h, X.shape[1], X.shape[2])
        X = X.permute(0, 2, 1, 3)
        return X.reshape(X.shape[0], X.shape[1], -1)

    def forward(self, queries, keys, values, pad=None):
        queries, keys, values = (
            self.transpose_qkv(self.W_q(queries)),
            self.transpose_qkv(self.W_k(keys)),
            self.transpose_qkv(self.W_v(values)),
        )
        scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(queries.shape[-1])
        if pad is not None:
            lengths = torch.repeat_interleave((~pad).sum(1), repeats=self.h, dim=0)
            valid = torch.arange(scores.shape[-1])[None, None, :] < lengths[:, None, None]
            scores[~valid.expand_as(scores)] = -1e6
        weights = nn.functional.softmax(scores, dim=-1)
        output = torch.bmm(weights, values)
        return self.W_o(self.transpose_output(output)), weights.view(-1, self.h, *weights.shape[1:])
