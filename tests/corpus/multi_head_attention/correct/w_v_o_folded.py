"""A right answer in a style of its own: w v o folded."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h:
            raise ValueError
        self.h = h
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, q, k, v, pad=None):
        d = self.W_q.in_features // self.h
        total, maps = 0, ()
        for i, (Wq, bq, Wk, bk, Wv, bv, Wo) in enumerate(
            zip(
                self.W_q.weight.split(d),
                self.W_q.bias.split(d),
                self.W_k.weight.split(d),
                self.W_k.bias.split(d),
                self.W_v.weight.split(d),
                self.W_v.bias.split(d),
                self.W_o.weight.split(d, 1),
            )
        ):
            A = Wq.T @ Wk / d**0.5
            s = q @ A @ k.mT + (k @ (Wk.T @ bq) / d**0.5)[:, None]
            if pad is not None:
                s = s.where(~pad[:, None], s.new_tensor(-torch.inf))
            w = s.softmax(-1)
            maps += (w,)
            total = total + w @ (v @ (Wo @ Wv).T) + Wo @ bv
        return total + self.W_o.bias, torch.stack(maps, 1)
