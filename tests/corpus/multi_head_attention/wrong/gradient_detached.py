"""gradient-detached: the context is detached from the graph before W_o, and W_o works on plain numbers."""

from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0, "d_model must be divisible by h"
        self.h, self.dk = h, d_model // h
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.view(t.size(0), t.size(1), self.h, self.dk).transpose(1, 2)

    def merge(self, t):
        return t.transpose(1, 2).contiguous().view(t.size(0), -1, self.h * self.dk)

    def forward(self, q, k, v, pad=None):
        Q, K, V = self.split(self.W_q(q)), self.split(self.W_k(k)), self.split(self.W_v(v))
        s = Q @ K.transpose(-2, -1) / self.dk**0.5
        if pad is not None:
            s = s.masked_fill(pad[:, None, None, :], float("-inf"))
        p = s.softmax(dim=-1)
        ctx = self.merge(p @ V)
        out = self.W_o(ctx)
        return out.detach(), p  # <-
