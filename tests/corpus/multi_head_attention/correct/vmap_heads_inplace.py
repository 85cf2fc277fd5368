"""A right answer in a style of its own: vmap heads inplace."""

import torch
from torch import nn


class Head(nn.Module):
    pass


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h:
            raise ValueError
        self.h = h
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(d_model, d_model) for _ in range(4))
        self.helpers = nn.ModuleDict({"softmax": nn.Softmax(-1), "drop": nn.Dropout(0.1)})

    def forward(self, q, k, v, pad=None):
        def head(Wq, bq, Wk, bk, Wv, bv):
            s = (q @ Wq.T + bq) @ (k @ Wk.T + bk).transpose(1, 2)
            s = s.div_(Wq.shape[0] ** 0.5)
            if pad is not None:
                s = s.masked_fill(pad[:, None], -1e9)
            a = self.helpers["softmax"](s)
            return a @ (v @ Wv.T + bv), a

        ws = [
            t
            for W in (self.W_q, self.W_k, self.W_v)
            for t in (W.weight.unflatten(0, (self.h, -1)), W.bias.unflatten(0, (self.h, -1)))
        ]
        c, a = torch.vmap(head, out_dims=(2, 1))(*ws)
        return self.W_o(self.helpers["drop"](c).flatten(2)), a
