"""A right answer in a style of its own: numpy weights path."""

import numpy as np
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        if d_model / h != d_model // h:
            raise ValueError("no")
        self.d_model, self.h, self.d_k = d_model, h, d_model // h
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, q, k, v, pad=None):
        mask = None
        if pad is not None:
            mask = torch.from_numpy(
                np.broadcast_to(pad.numpy()[:, None, None, :], (pad.shape[0], self.h, q.shape[1], k.shape[1])).copy()
            )
        outs, ws = [], []
        for i in range(self.h):
            cols = np.s_[i * self.d_k : (i + 1) * self.d_k]
            Qi, Ki, Vi = self.W_q(q)[..., cols], self.W_k(k)[..., cols], self.W_v(v)[..., cols]
            s = torch.bmm(Qi, Ki.mT) / np.sqrt(self.d_k)
            if mask is not None:
                s[mask[:, i]] = -np.inf
            w = s.softmax(-1)
            outs.append(w.bmm(Vi))
            ws.append(w)
        return self.W_o(torch.cat(outs, -1)), torch.stack(ws, 1)
