"""Reference answers about torch's own attention, as functions of plain tensors.

Tasks that get a layer from the grader are written here as functions of the layer's parameters `state` (a state_dict as
in `solutions.attention`) and its number of heads h.
"""

from __future__ import annotations

import torch

from solutions import attention
from solutions.attention import State

LAYERS = ("W_q", "W_k", "W_v")


def copy_weights(ours: State, before: State) -> State:
    """Copy four linear layers into an nn.MultiheadAttention.

    Args:
        ours: W_q.weight (d_model, d_model), W_k.weight (d_model, kdim), W_v.weight (d_model, vdim), W_o.weight
            (d_model, d_model) and biases (d_model).
        before: the module's parameters before the copy; they tell which form it has.

    Returns:
        The module's parameters afterwards.
    """
    weights = [ours[f"{layer}.weight"] for layer in LAYERS]
    if "in_proj_weight" in before:
        after = {"in_proj_weight": torch.cat(weights)}  # (3 d_model, d_model)
    else:
        after = dict(zip(("q_proj_weight", "k_proj_weight", "v_proj_weight"), weights, strict=True))
    return after | {
        "in_proj_bias": torch.cat([ours[f"{layer}.bias"] for layer in LAYERS]),  # (3 d_model,)
        "out_proj.weight": ours["W_o.weight"],
        "out_proj.bias": ours["W_o.bias"],
    }


def head_weights(x: torch.Tensor, state: State, h: int) -> torch.Tensor:
    """Self-attention weights of every head: (B, n, d_model) -> (B, h, n, n)."""
    return attention.multi_head_attention(x, x, x, state, h)[1]


def padding_of(lengths: torch.Tensor, n: int) -> torch.Tensor:
    """Make the padding mask (B, n), True = padding, of lengths (B,)."""
    return torch.arange(n)[None, :] >= lengths[:, None]


def without_padding_rows(out: torch.Tensor, weights: torch.Tensor, lengths: torch.Tensor) -> list[torch.Tensor]:
    """Set to zero what padding queries got: output (B, n, d_model), weights (B, h, n, n)."""
    pad = padding_of(lengths, out.shape[1])
    return [out.masked_fill(pad[:, :, None], 0.0), weights.masked_fill(pad[:, None, :, None], 0.0)]


def padding_mask(x: torch.Tensor, lengths: torch.Tensor, state: State, h: int) -> list[torch.Tensor]:
    """Self-attention without padding; rows of padding queries are zero.

    Args:
        x: (B, n, d_model).
        lengths: (B,), real tokens of each sentence.
        state: parameters.
        h: number of heads.

    Returns:
        Output (B, n, d_model) and weights (B, h, n, n).
    """
    out, weights = attention.multi_head_attention(x, x, x, state, h, pad=padding_of(lengths, x.shape[1]))
    return without_padding_rows(out, weights, lengths)


def masks_for_heads(blocked: torch.Tensor, h: int) -> torch.Tensor:
    """Repeat a mask for every head, sentence by sentence: (B, n_q, n_k) -> (B * h, n_q, n_k)."""
    return blocked[:, None].expand(-1, h, -1, -1).flatten(0, 1)


def sdpa(Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor, pad: torch.Tensor) -> torch.Tensor:
    """Attention in every head; pad (B, n_k) is True at padding: context (B, h, n_q, d_k)."""
    return attention.attention_weights(Q, K, pad) @ V


def cross_attention(
    decoder: torch.Tensor, encoder: torch.Tensor, pad: torch.Tensor, state: State, h: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """The decoder looks at the encoder.

    Args:
        decoder: (B, n_q, d_model).
        encoder: (B, n_k, d_model).
        pad: bool (B, n_k), True at the encoder's padding.
        state: parameters.
        h: number of heads.

    Returns:
        Output (B, n_q, d_model) and weights (B, h, n_q, n_k).
    """
    return attention.multi_head_attention(decoder, encoder, encoder, state, h, pad=pad)


def batch_invariance(x: torch.Tensor, lengths: torch.Tensor, masked: bool, state: State, h: int) -> torch.Tensor:
    """Measure how much each sentence notices the batch.

    Args:
        x: (B, n, d_model).
        lengths: (B,), real tokens of each sentence.
        masked: whether padding is hidden in the batch.
        state: parameters.
        h: number of heads.

    Returns:
        (B,), the largest absolute difference over real tokens between the sentence in the batch and alone.
    """
    pad = padding_of(lengths, x.shape[1]) if masked else None
    together = attention.multi_head_attention(x, x, x, state, h, pad=pad)[0]
    found = []
    for b, length in enumerate(lengths.tolist()):
        real = x[b : b + 1, :length]
        alone = attention.multi_head_attention(real, real, real, state, h)[0][0]
        found.append((together[b, :length] - alone).abs().max())
    return torch.stack(found)
