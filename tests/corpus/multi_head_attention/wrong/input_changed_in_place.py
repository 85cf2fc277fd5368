"""input-changed-in-place: the caller's queries are scaled in place, so his next call sees them smaller."""

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
        K, V = self.split(self.W_k(k)), self.split(self.W_v(v))
        q /= self.dk**0.5  # <-
        Q = self.split(q @ self.W_q.weight.T + self.W_q.bias / self.dk**0.5)
        s = Q @ K.transpose(-2, -1)
        if pad is not None:
            s = s.masked_fill(pad[:, None, None, :], float("-inf"))
        p = s.softmax(dim=-1)
        ctx = self.merge(p @ V)
        return self.W_o(ctx), p
