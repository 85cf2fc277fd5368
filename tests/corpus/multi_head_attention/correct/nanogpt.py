"""In the manner of nanoGPT: causal buffer left out, view and transpose, manual softmax and dropout layers."""

import math

import torch.nn.functional as F
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
        self.attn_dropout = nn.Dropout(0.0)
        self.resid_dropout = nn.Dropout(0.1)

    def forward(self, q, k, v, pad=None):
        B, T, C = q.size()
        S = k.size(1)
        q, k, v = self.W_q(q), self.W_k(k), self.W_v(v)
        k = k.view(B, S, self.h, C // self.h).transpose(1, 2)
        q = q.view(B, T, self.h, C // self.h).transpose(1, 2)
        v = v.view(B, S, self.h, C // self.h).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        if pad is not None:
            att = att.masked_fill(pad.view(B, 1, 1, S), float("-inf"))
        att = F.softmax(att, dim=-1)
        shown = att
        att = self.attn_dropout(att)
        y = att @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.resid_dropout(self.W_o(y)), shown
