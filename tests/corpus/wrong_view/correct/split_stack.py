"""A right answer in a style of its own: split stack."""

import torch

wrong_view_symptom = "Silent."
wrong_view = lambda x, h: torch.stack(x.split(x.shape[-1] // h, -1), 1)
