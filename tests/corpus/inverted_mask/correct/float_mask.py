"""A right answer in a style of its own: float mask."""

import torch
from torch import nn

inverted_mask_symptom = "SILENT"


def inverted_mask(x, token, state, h):
    mha = nn.MultiheadAttention(x.shape[-1], h, batch_first=True)
    mha.load_state_dict(state)
    m = torch.zeros(token.shape).masked_fill(~token, float("-inf"))
    return mha(x, x, x, key_padding_mask=m, need_weights=False)[0]
