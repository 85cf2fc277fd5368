"""heads-averaged-not-concatenated, in a style of its own."""

import torch

missing_transpose_symptom = "silent"


def missing_transpose(weights, V):
    return torch.einsum("bhij,bhjd->bid", weights, V) / V.shape[1]
