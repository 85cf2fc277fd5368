"""A right answer in a style of its own: chunk."""

import torch

wrong_view_symptom = "silent"


def wrong_view(x, h):
    return torch.cat([c[:, None] for c in torch.chunk(x, h, -1)], 1)
