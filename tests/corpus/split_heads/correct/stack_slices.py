"""A right answer in a style of its own: stack slices."""

import torch

split_heads = lambda x, h: torch.stack(
    [x[..., i : i + x.shape[-1] // h] for i in range(0, x.shape[-1], x.shape[-1] // h)], dim=1
)
