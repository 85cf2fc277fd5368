"""torch-mha-without-batch-first: wraps nn.MultiheadAttention and forgets batch_first=True."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0, "d_model must be divisible by h"
        self.h, self.dk, self.d = h, d_model // h, d_model
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, q, k, v, pad=None):
        inner = nn.MultiheadAttention(self.d, self.h)  # <-
        with torch.no_grad():
            inner.in_proj_weight.copy_(torch.cat([self.W_q.weight, self.W_k.weight, self.W_v.weight]))
            inner.in_proj_bias.copy_(torch.cat([self.W_q.bias, self.W_k.bias, self.W_v.bias]))
            inner.out_proj.weight.copy_(self.W_o.weight)
            inner.out_proj.bias.copy_(self.W_o.bias)
        return inner(q, k, v, key_padding_mask=pad, average_attn_weights=False)  # <-
