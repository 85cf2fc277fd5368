"""blocks-off-the-diagonal, in a style of its own."""

import torch


def block_diagonal(A, B):
    p, q = len(A), len(B)
    W = torch.zeros(p + q, p + q)
    W[:p, q:] = A
    W[p:, :q] = B
    return W
