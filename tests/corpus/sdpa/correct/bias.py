"""A right answer in a style of its own: bias."""

import torch
import torch.nn.functional as F


def sdpa(Q, K, V, pad):
    bias = torch.zeros_like(pad, dtype=Q.dtype).masked_fill(pad, float("-inf"))
    return F.scaled_dot_product_attention(query=Q, key=K, value=V, attn_mask=bias[:, None, None, :])
