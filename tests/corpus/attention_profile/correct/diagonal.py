"""A right answer in a style of its own: diagonal."""

import torch


def attention_profile(weights):
    a = torch.diagonal(weights, -1, 2, 3)[..., 1:].double().mean((0, 2))
    return torch.column_stack((a, weights[:, :, 2:, 0].double().mean((0, 2))))
