"""A right answer in a style of its own: list return kwargs."""

from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, **kw):
        super().__init__()
        if d_model % num_heads:
            raise ValueError
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)
        self.attn = None

    def forward(self, query, key, value, mask=None):
        B = query.size(0)
        Q, K, V = [
            l(x).view(B, -1, self.num_heads, l.out_features // self.num_heads).transpose(1, 2)
            for l, x in zip((self.W_q, self.W_k, self.W_v), (query, key, value))
        ]
        w = Q @ K.transpose(-1, -2) / K.shape[-1] ** 0.5
        if mask is not None:
            w.masked_fill_(mask.view(B, 1, 1, -1).expand(-1, self.num_heads, w.size(2), -1), float("-inf"))
        self.attn = nn.functional.dropout(w.softmax(-1), 0.1, self.training)
        x = (self.attn @ V).transpose(1, 2).reshape(B, -1, self.W_o.in_features)
        return [self.W_o(x), self.attn]
