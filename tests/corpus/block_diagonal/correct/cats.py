"""A right answer in a style of its own: cats."""

import torch


def block_diagonal(A, B):
    return torch.cat([torch.cat([A, A.new_zeros(len(A), len(B))], 1), torch.cat([B.new_zeros(len(B), len(A)), B], 1)])
