"""Reference answers of the assignment from scratch, with the signatures that its tasks ask for."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from solutions import attention as plain

State = dict[str, torch.Tensor]
"""Parameters of the layer: W_q.weight (d_model, d_model), W_q.bias (d_model), and so on for W_k, W_v and W_o."""

LAYERS = ("W_q", "W_k", "W_v", "W_o")


def split_heads(x: torch.Tensor, h: int) -> torch.Tensor:
    """Split heads: (B, n, d_model) -> (B, h, n, d_k)."""
    return plain.split_heads(x, h)


def merge_heads(heads: torch.Tensor) -> torch.Tensor:
    """Merge heads: (B, h, n, d_k) -> (B, n, h * d_k)."""
    return plain.merge_heads(heads)


def attention(
    Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor, pad: torch.Tensor | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Attend in every head: Q (B, h, n_q, d_k), K and V (B, h, n_k, d_k), pad (B, n_k) True at padding.

    Returns:
        Context (B, h, n_q, d_k) and weights (B, h, n_q, n_k).
    """
    weights = plain.attention_weights(Q, K, pad)
    return weights @ V, weights


def multi_head_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, pad: torch.Tensor | None, state: State, h: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Compute what the layer returns: q (B, n_q, d_model), k and v (B, n_k, d_model), pad (B, n_k) True at padding.

    Returns:
        Output (B, n_q, d_model) and weights (B, h, n_q, n_k).
    """

    def linear(name: str, x: torch.Tensor) -> torch.Tensor:
        return F.linear(x, state[f"{name}.weight"], state[f"{name}.bias"])

    Q, K, V = (plain.split_heads(linear(name, x), h) for name, x in zip(LAYERS, (q, k, v), strict=False))
    context, weights = attention(Q, K, V, pad)
    return linear("W_o", plain.merge_heads(context)), weights


def count_parameters(d_model: int, h: int) -> int:
    """Count the numbers in W_q, W_k, W_v and W_o with biases; h does not matter."""
    return 4 * d_model**2 + 4 * d_model


def attention_cost(n: int, d_model: int, h: int) -> tuple[int, int, int, int]:
    """Count what one sentence costs.

    Args:
        n: tokens.
        d_model: numbers per token.
        h: number of heads.

    Returns:
        Operations for scores, for weights times values and for the four projections, and the number of weights.
    """
    return 2 * n**2 * d_model, 2 * n**2 * d_model, 8 * n * d_model**2, h * n**2


def one_head_by_hand(x: torch.Tensor, state: State, h: int, i: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Compute one head of self-attention alone.

    Args:
        x: (B, n, d_model).
        state: parameters of the layer.
        h: number of heads.
        i: the head.

    Returns:
        Context (B, n, d_k) and weights (B, n, n).
    """
    Q, K, V = (plain.split_heads(F.linear(x, state[f"{W}.weight"], state[f"{W}.bias"]), h) for W in LAYERS[:3])
    context, weights = attention(Q, K, V)
    return context[:, i], weights[:, i]
