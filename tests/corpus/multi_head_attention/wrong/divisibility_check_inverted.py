"""divisibility-check-inverted: the constructor refuses the sizes that fit."""

from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model % h == 0:
            raise ValueError("d_model must be divisible by h")
        self.h = h
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, q, k, v, pad=None):
        Q, K, V = (
            W(x).unflatten(-1, (self.h, -1)).transpose(1, 2)
            for W, x in zip((self.W_q, self.W_k, self.W_v), (q, k, v), strict=True)
        )
        scores = Q @ K.mT / Q.shape[-1] ** 0.5
        if pad is not None:
            scores = scores.masked_fill(pad[:, None, None, :], float("-inf"))
        weights = scores.softmax(-1)
        return self.W_o((weights @ V).transpose(1, 2).flatten(2)), weights
