"""Inputs that several hidden graders draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from headcheck.grading.draw import Draw

WEIGHT_STD = 1.3
"""Times 1/sqrt(d_model): large enough that every projection shows, small enough that softmax does not saturate."""

BIAS_STD = 0.3
"""nn.MultiheadAttention starts with zero biases, which hide every mistake about a bias."""


def attention_state(draw: Draw, d_model: int) -> dict[str, torch.Tensor]:
    """Draw the parameters of an `nn.MultiheadAttention`, biases included.

    Args:
        draw: source of the random numbers.
        d_model: width of the model.

    Returns:
        A state_dict: in_proj_weight (3 d_model, d_model), in_proj_bias (3 d_model), out_proj.weight (d_model, d_model),
        out_proj.bias (d_model).
    """
    std = WEIGHT_STD / d_model**0.5
    return {
        "in_proj_weight": draw.tensor(3 * d_model, d_model, std=std),
        "in_proj_bias": draw.tensor(3 * d_model, std=BIAS_STD),
        "out_proj.weight": draw.tensor(d_model, d_model, std=std),
        "out_proj.bias": draw.tensor(d_model, std=BIAS_STD),
    }


def layer_state(draw: Draw, d_model: int) -> dict[str, torch.Tensor]:
    """Draw the parameters of a layer with W_q, W_k, W_v and W_o, biases included.

    Args:
        draw: source of the random numbers.
        d_model: width of the model.

    Returns:
        Its state_dict: weights (d_model, d_model) and biases (d_model).
    """
    state = {}
    for layer in ("W_q", "W_k", "W_v", "W_o"):
        state[f"{layer}.weight"] = draw.tensor(d_model, d_model, std=WEIGHT_STD / d_model**0.5)
        state[f"{layer}.bias"] = draw.tensor(d_model, std=BIAS_STD)
    return state
