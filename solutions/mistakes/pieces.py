"""Pieces that several wrong implementations share."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from solutions import attention
from solutions.attention import State


def module(state: State, h: int, **options: Any) -> nn.MultiheadAttention:
    """Build torch's own module with given parameters.

    The mistakes about this module run the module itself, so that they crash with its words and give its numbers.

    Args:
        state: its state_dict.
        h: number of heads.
        options: further arguments of the constructor (`batch_first=True`).

    Returns:
        The module; its outputs need no gradient.
    """
    mha = nn.MultiheadAttention(state["out_proj.bias"].numel(), h, **options)
    mha.load_state_dict(state)
    return mha.requires_grad_(False)


def masked_module(
    x: torch.Tensor, state: State, h: int, mask: torch.Tensor, batch_first: bool = False
) -> tuple[torch.Tensor, torch.Tensor]:
    """Compute what the module gives for `module(...)(x, x, x, key_padding_mask=mask)`, and crash with its words.

    The module itself imports sympy to check a mask, which takes longer than grading two submissions.

    Args:
        x: (n, B, d_model), or (B, n, d_model) with `batch_first`.
        state: its state_dict.
        h: number of heads.
        mask: (B, n); bool, True = hidden, or float, added to the scores.
        batch_first: as the module's option.

    Returns:
        Output, of the shape of x, and the mean of the weights over all heads (B, n, n).

    Raises:
        AssertionError: the mask has another shape.
    """
    x = x if batch_first else x.transpose(0, 1)  # (B, n, d_model)
    for axis, size in enumerate(x.shape[:2]):
        if mask.shape[axis] != size:
            raise AssertionError(f"Expected key_padded_mask.shape[{axis}] to be {size}, but got {mask.shape[axis]}")
    added = torch.zeros(mask.shape).masked_fill(mask, -math.inf) if mask.dtype == torch.bool else mask
    Q, K, V = attention.project_in(x, x, x, state, h)
    weights = (attention.attention_scores(Q, K) + added[:, None, None, :]).softmax(dim=-1)  # (B, h, n, n)
    out = attention.project_out(weights @ V, state)
    return out if batch_first else out.transpose(0, 1), weights.mean(dim=1)


def masked_attention(
    x: torch.Tensor, state: State, h: int, weigh: Callable[[torch.Tensor], torch.Tensor]
) -> torch.Tensor:
    """Self-attention written by hand, with another way from scores to weights.

    Args:
        x: (B, n, d_model).
        state: parameters of an nn.MultiheadAttention.
        h: number of heads.
        weigh: turns scaled scores (B, h, n, n) into weights of the same shape.

    Returns:
        (B, n, d_model).
    """
    Q, K, V = attention.project_in(x, x, x, state, h)
    return attention.project_out(weigh(attention.attention_scores(Q, K)) @ V, state)


def refusing(split: Callable[[torch.Tensor, int], torch.Tensor]) -> Callable[[torch.Tensor, int], torch.Tensor]:
    """Put a right divisibility check before a way to split heads.

    Args:
        split: (B, n, d_model), h -> heads.

    Returns:
        The same, but ValueError when h does not divide d_model. Its text is empty: the student's could be any.
    """

    def checked(x: torch.Tensor, h: int) -> torch.Tensor:
        if x.shape[-1] % h != 0:
            raise ValueError
        return split(x, h)

    return checked


def layer_class(form: Callable[..., Any]) -> type[nn.Module]:
    """Make a layer of a function of inputs, padding, parameters and heads.

    Args:
        form: takes q, k, v, pad, state and h, as `solutions.from_scratch.multi_head_attention` does.

    Returns:
        A module with W_q, W_k, W_v and W_o whose forward is that function.
    """

    class MultiHeadAttention(nn.Module):
        def __init__(self, d_model: int, h: int) -> None:
            super().__init__()
            if d_model % h != 0:
                raise ValueError
            self.h = h
            self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(d_model, d_model) for _layer in range(4))

        def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, pad: torch.Tensor | None = None) -> Any:
            return form(q, k, v, pad, dict(self.named_parameters()), self.h)

    return MultiHeadAttention
