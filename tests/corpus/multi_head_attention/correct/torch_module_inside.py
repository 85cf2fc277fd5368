"""Wraps nn.MultiheadAttention that shares the parameters at call time, with batch_first."""

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

    def forward(self, q, k, v, pad=None):
        inner = nn.MultiheadAttention(self.d_model, self.h, batch_first=True)
        state = {
            "in_proj_weight": torch.cat([self.W_q.weight, self.W_k.weight, self.W_v.weight]),
            "in_proj_bias": torch.cat([self.W_q.bias, self.W_k.bias, self.W_v.bias]),
            "out_proj.weight": self.W_o.weight,
            "out_proj.bias": self.W_o.bias,
        }
        options = {"key_padding_mask": pad, "average_attn_weights": False}
        return torch.func.functional_call(inner, state, (q, k, v), options)
