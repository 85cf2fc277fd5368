"""A right answer in a style of its own: torch bd."""

import torch

block_diagonal = torch.block_diag
