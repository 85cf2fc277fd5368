"""Multi-head attention on plain tensors: the reference that students' values are compared with.

Parameters are the `state_dict` of an `nn.MultiheadAttention(d_model, h)` with biases: `in_proj_weight` (3 d_model,
d_model) = W_q, W_k, W_v one above the other, `in_proj_bias` (3 d_model), `out_proj.weight` (d_model, d_model) and
`out_proj.bias` (d_model). The module itself is not used here; the tests compare with it.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

State = dict[str, torch.Tensor]


def split_heads(x: torch.Tensor, h: int) -> torch.Tensor:
    """Deal the columns of each token out to the heads, d_k = d_model / h to each.

    Args:
        x: (B, n, d_model).
        h: number of heads.

    Returns:
        (B, h, n, d_k).

    Raises:
        ValueError: h does not divide d_model.
    """
    B, n, d_model = x.shape
    if d_model % h != 0:
        raise ValueError(f"d_model = {d_model} is not divisible by h = {h}")
    return x.reshape(B, n, h, d_model // h).transpose(1, 2)  # (B, h, n, d_k)


def merge_heads(heads: torch.Tensor) -> torch.Tensor:
    """Lay the heads side by side again: (B, h, n, d_k) -> (B, n, h * d_k)."""
    B, h, n, d_k = heads.shape
    return heads.transpose(1, 2).reshape(B, n, h * d_k)  # (B, n, d_model)


def attention_scores(Q: torch.Tensor, K: torch.Tensor) -> torch.Tensor:
    """Scaled scores before softmax: (B, h, n_q, d_k), (B, h, n_k, d_k) -> (B, h, n_q, n_k)."""
    return Q @ K.transpose(-2, -1) / math.sqrt(Q.size(-1))  # (B, h, n_q, n_k)


def attention_weights(Q: torch.Tensor, K: torch.Tensor, pad: torch.Tensor | None = None) -> torch.Tensor:
    """Compute how much each query looks at each key.

    Args:
        Q: queries (B, h, n_q, d_k).
        K: keys (B, h, n_k, d_k).
        pad: bool (B, n_k), True = padding, never looked at; a sequence of padding alone gives NaN.

    Returns:
        (B, h, n_q, n_k); every row adds up to 1.
    """
    scores = attention_scores(Q, K)
    if pad is not None:
        scores = scores.masked_fill(pad[:, None, None, :], -math.inf)
    return scores.softmax(dim=-1)  # (B, h, n_q, n_k)


def project_in(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, state: State, h: int
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Project the three inputs and split them into heads.

    Args:
        q: (B, n_q, d_model).
        k: (B, n_k, d_model).
        v: (B, n_k, d_model).
        state: parameters as described at the top of this module.
        h: number of heads.

    Returns:
        Q (B, h, n_q, d_k), K and V (B, h, n_k, d_k).
    """
    weights, biases = state["in_proj_weight"].chunk(3), state["in_proj_bias"].chunk(3)
    Q, K, V = (split_heads(F.linear(x, W, b), h) for x, W, b in zip((q, k, v), weights, biases, strict=True))
    return Q, K, V


def project_out(heads: torch.Tensor, state: State) -> torch.Tensor:
    """Merge the heads and mix them with W_o: (B, h, n, d_k) -> (B, n, d_model)."""
    return F.linear(merge_heads(heads), state["out_proj.weight"], state["out_proj.bias"])  # (B, n, d_model)


def multi_head_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, state: State, h: int, pad: torch.Tensor | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Compute what `nn.MultiheadAttention(d_model, h, batch_first=True)` computes.

    Args:
        q: (B, n_q, d_model).
        k: (B, n_k, d_model).
        v: (B, n_k, d_model).
        state: parameters as described at the top of this module.
        h: number of heads.
        pad: bool (B, n_k), True = padding.

    Returns:
        Output (B, n_q, d_model) and weights (B, h, n_q, n_k).
    """
    Q, K, V = project_in(q, k, v, state, h)
    weights = attention_weights(Q, K, pad)
    return project_out(weights @ V, state), weights
