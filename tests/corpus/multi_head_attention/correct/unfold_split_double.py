"""A right answer in a style of its own: unfold split double."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h:
            raise AssertionError
        self.h = h
        self.dk = d_model // h
        self.W_q = nn.Linear(d_model, d_model, bias=True)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)
        self.register_buffer("scale", torch.tensor(self.dk).rsqrt())

    def forward(self, q, k, v, pad=None):
        cut = lambda x: x.unfold(-1, self.dk, self.dk).permute(0, 2, 1, 3).double()
        Q, K, V = cut(self.W_q(q)) * self.scale, cut(self.W_k(k)), cut(self.W_v(v))
        s = Q.matmul(K.transpose(3, 2))
        if pad is not None:
            s = s + pad[:, None, None].double() * -1e9
        w = torch.nn.Softmax(dim=3)(s)
        o = w.matmul(V).transpose(1, 2).contiguous().view(q.size(0), q.size(1), -1).float()
        return self.W_o(o), w.float()
