"""A right answer in a style of its own: functional where."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, h: int):
        super().__init__()
        assert not d_model % h
        self.heads = h
        for name in "qkvo":
            self.add_module(f"W_{name}", nn.Linear(d_model, d_model))

    def forward(self, q, k, v, pad=None):
        deal = lambda t: t.unflatten(-1, (self.heads, -1)).movedim(-2, -3)
        Q, K, V = map(lambda f, t: deal(f(t)), (self.W_q, self.W_k, self.W_v), (q, k, v))
        s = torch.einsum("...qd,...kd->...qk", Q, K).mul(Q.size(-1) ** -0.5)
        s = s if pad is None else torch.where(pad.unsqueeze(1).unsqueeze(1), torch.tensor(float("-inf")), s)
        e = (s - s.amax(-1, keepdim=True)).exp()
        a = e / e.sum(-1, keepdim=True)
        o = torch.einsum("...qk,...kd->...qd", a, V).movedim(-3, -2).flatten(-2)
        return self.W_o(o), a
