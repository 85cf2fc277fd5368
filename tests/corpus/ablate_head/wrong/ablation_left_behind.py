"""ablation-left-behind, in a style of its own."""

import torch


def ablate_head(attention, x, i):
    with torch.no_grad():
        attention.W_o.weight[:, i * attention.d_k : (i + 1) * attention.d_k] = 0
    return attention(x)[0]
