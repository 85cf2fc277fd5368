"""A right answer in a style of its own: per sentence."""

import torch
from torch import nn

batch_first_symptom = "silent"


def batch_first(x, state, h):
    mha = nn.MultiheadAttention(x.shape[-1], h)
    mha.load_state_dict(state)
    return torch.stack([mha(s, s, s)[0] for s in x])
