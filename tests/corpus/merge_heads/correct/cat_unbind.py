"""A right answer in a style of its own: cat unbind."""

import torch


def merge_heads(heads):
    return torch.cat(torch.unbind(heads, 1), -1)
