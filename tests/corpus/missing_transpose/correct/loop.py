"""A right answer in a style of its own: loop."""

import torch

missing_transpose_symptom = "silent"


def missing_transpose(weights, V):
    return torch.cat([weights[:, i] @ V[:, i] for i in range(V.size(1))], dim=-1).clone()
