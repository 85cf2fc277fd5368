"""A right answer in a style of its own: sdpa."""

import torch
import torch.nn.functional as F

d_model_scaling_symptom = "silent"


def d_model_scaling(Q, K):
    return F.scaled_dot_product_attention(Q, K, torch.eye(K.shape[-2]).expand(*K.shape[:2], -1, -1))
