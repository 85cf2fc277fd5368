"""A right answer in a style of its own: tensor split."""

import numpy as np
import torch


def split_heads(x, h):
    return torch.from_numpy(np.stack(np.split(x.numpy(), h, axis=-1), axis=1))
