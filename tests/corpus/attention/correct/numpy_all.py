"""A right answer in a style of its own: numpy all."""

import numpy as np
import torch


def attention(Q, K, V, pad=None):
    q, k, v = (t.detach().numpy().astype(np.float64) for t in (Q, K, V))
    s = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    if pad is not None:
        s = np.where(pad.numpy()[:, None, None, :], -np.inf, s)
    s -= s.max(-1, keepdims=True)
    w = np.exp(s)
    w /= w.sum(-1, keepdims=True)
    return torch.tensor(w @ v), torch.tensor(w)
