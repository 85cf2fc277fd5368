"""One matrix product with the stacked weights of all three layers, then slices."""

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
        W = torch.stack([self.W_q.weight, self.W_k.weight, self.W_v.weight])
        b = torch.stack([self.W_q.bias, self.W_k.bias, self.W_v.bias])
        parts = []
        for i, x in enumerate((q, k, v)):
            y = torch.addmm(b[i], x.reshape(-1, self.d_model), W[i].t())
            parts.append(y.view(x.shape[0], x.shape[1], self.h, self.d_k).permute(0, 2, 1, 3))
        Q, K, V = parts
        A = Q.matmul(K.transpose(2, 3)).mul(self.d_k**-0.5)
        if pad is not None:
            A = A.masked_fill(pad[:, None, None], torch.finfo(A.dtype).min)
        A = A.softmax(-1)
        return self.W_o(A.matmul(V).permute(0, 2, 1, 3).flatten(2)), A
