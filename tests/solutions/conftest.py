"""Small tensors: more than one thread only costs time."""

import torch

torch.set_num_threads(1)
