"""padding-off-by-one, in a style of its own."""

import torch


def padding_mask(mha, x, lengths):
    return mha(x, x, x, key_padding_mask=torch.arange(x.shape[1]) > lengths[:, None], average_attn_weights=False)


def masks_for_heads(blocked, h):
    return blocked.repeat_interleave(h, 0)
