"""A right answer in a style of its own: weightcopy."""

import torch.nn.functional as F


def ablate_head(attention, x, i):
    W = attention.W_o.weight.clone()
    W[:, i * attention.d_k : (i + 1) * attention.d_k] = 0
    Q, Ks, V = attention.W_qkv(x).unflatten(-1, (3, attention.h, attention.d_k)).permute(2, 0, 3, 1, 4)
    c = F.scaled_dot_product_attention(Q, Ks, V).transpose(1, 2).flatten(2)
    return F.linear(c, W, attention.W_o.bias)
