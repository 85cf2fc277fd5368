"""Reference answers of the bug hunt, with the signatures that its tasks ask for."""

from __future__ import annotations

import torch

from solutions import attention
from solutions.attention import State


def wrong_view(x: torch.Tensor, h: int) -> torch.Tensor:
    """Split heads: (B, n, d_model) -> (B, h, n, d_k)."""
    return attention.split_heads(x, h)


def missing_transpose(weights: torch.Tensor, V: torch.Tensor) -> torch.Tensor:
    """Attend and merge: (B, h, n_q, n_k), (B, h, n_k, d_k) -> (B, n_q, h * d_k)."""
    return attention.merge_heads(weights @ V)


def batch_first(x: torch.Tensor, state: State, h: int) -> torch.Tensor:
    """Self-attention of x (B, n, d_model): (B, n, d_model)."""
    return attention.multi_head_attention(x, x, x, state, h)[0]


def inverted_mask(x: torch.Tensor, token: torch.Tensor, state: State, h: int) -> torch.Tensor:
    """Self-attention that leaves padding out; token (B, n) is True at real tokens: (B, n, d_model)."""
    return attention.multi_head_attention(x, x, x, state, h, pad=~token)[0]


def averaged_weights(x: torch.Tensor, state: State, h: int, i: int) -> torch.Tensor:
    """Self-attention weights of head i: (B, n, n)."""
    return attention.multi_head_attention(x, x, x, state, h)[1][:, i]


def d_model_scaling(Q: torch.Tensor, K: torch.Tensor) -> torch.Tensor:
    """Weights of scaled dot-product attention: (B, h, n_q, d_k), (B, h, n_k, d_k) -> (B, h, n_q, n_k)."""
    return attention.attention_weights(Q, K)


def indivisible_heads(x: torch.Tensor, h: int) -> torch.Tensor:
    """Split heads, or raise ValueError when h does not divide d_model: (B, n, d_model) -> (B, h, n, d_k)."""
    return attention.split_heads(x, h)
