"""Delegates to F.multi_head_attention_forward with separate projection weights."""

import torch
import torch.nn.functional as F
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
        t = lambda z: z.transpose(0, 1)
        out, p = F.multi_head_attention_forward(
            t(q),
            t(k),
            t(v),
            q.size(-1),
            self.h,
            None,
            torch.cat([self.W_q.bias, self.W_k.bias, self.W_v.bias]),
            None,
            None,
            False,
            0.0,
            self.W_o.weight,
            self.W_o.bias,
            training=False,
            key_padding_mask=pad,
            use_separate_proj_weight=True,
            q_proj_weight=self.W_q.weight,
            k_proj_weight=self.W_k.weight,
            v_proj_weight=self.W_v.weight,
            average_attn_weights=False,
        )
        return t(out), p
