"""A right answer in a style of its own: sdpa identity weights."""

import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h:
            raise ValueError(f"{d_model} % {h}")
        self.h = h
        self.W_q, self.W_k, self.W_v, self.W_o = [nn.Linear(d_model, d_model) for _ in range(4)]

    def forward(self, q, k, v, pad=None):
        Q, K, V = [torch.stack(W(x).chunk(self.h, -1), 1) for W, x in zip((self.W_q, self.W_k, self.W_v), (q, k, v))]
        m = None if pad is None else pad.logical_not()[:, None, None]
        ctx = F.scaled_dot_product_attention(Q, K, V, m)
        eye = torch.eye(K.shape[2]).expand(*K.shape[:2], -1, -1)
        w = F.scaled_dot_product_attention(Q, K, eye, m)
        return self.W_o(torch.cat(ctx.unbind(1), -1)), w
