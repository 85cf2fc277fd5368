"""scale-sqrt-d-model, in a style of its own."""

import torch


def head_patterns(X, W_q, W_k, h):
    d = X.shape[1] // h
    Q, K = (torch.stack((X @ W).split(d, 1)) for W in (W_q, W_k))
    return (Q @ K.mT / X.shape[1] ** 0.5).softmax(-1)
