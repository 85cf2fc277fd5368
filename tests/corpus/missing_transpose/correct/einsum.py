"""A right answer in a style of its own: einsum."""

import torch

missing_transpose_symptom = "silent"


def missing_transpose(weights, V):
    return torch.einsum("bhij,bhjd->bihd", weights, V).flatten(2)
