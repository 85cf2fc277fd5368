"""A right answer in a style of its own: atan heads einsum."""

import torch


def attention(Q, K, V, pad=None):
    *lead, n, d = Q.shape
    logits = torch.einsum("bhid,bhjd->bhij", [Q, K]).true_divide(d**0.5)
    if pad is not None:
        logits.masked_fill_(pad[:, None, None].bool(), float("-inf"))
    p = torch.special.softmax(logits, -1)
    return torch.einsum("bhij,bhjd->bhid", p, V), p
