"""A right answer in a style of its own: divmod."""

import torch

indivisible_heads_symptom = "crash"


def indivisible_heads(x, h):
    d_k, rest = divmod(x.shape[-1], h)
    if rest:
        raise ValueError(f"h={h} does not divide {x.shape[-1]}")
    return torch.stack(x.split(d_k, -1), 1)
