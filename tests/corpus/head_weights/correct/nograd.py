"""A right answer in a style of its own: nograd."""

import torch


@torch.no_grad()
def head_weights(mha, x):
    return mha(query=x, key=x, value=x, average_attn_weights=False)[-1].clone()
