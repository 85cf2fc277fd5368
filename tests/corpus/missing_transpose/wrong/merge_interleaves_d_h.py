"""merge-interleaves-d-h, in a style of its own."""

import torch

missing_transpose_symptom = "silent"


def missing_transpose(weights, V):
    return torch.stack([weights[:, i] @ V[:, i] for i in range(V.size(1))], dim=-1).flatten(2)
