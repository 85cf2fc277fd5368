"""Mistakes made where the heads (B, h, n, d_k) become one row for each token again."""

from __future__ import annotations

import torch
from headcheck.diagnosis.bank import Mistake
from headcheck.i18n import N_

from solutions.attention import merge_heads


def _no_transpose(weights: torch.Tensor, V: torch.Tensor) -> torch.Tensor:
    out = weights @ V  # (B, h, n_q, d_k)
    B, h, n_q, d_k = out.shape
    return out.reshape(B, n_q, h * d_k)


def _interleaved(weights: torch.Tensor, V: torch.Tensor) -> torch.Tensor:
    return (weights @ V).permute(0, 2, 3, 1).flatten(2)  # (B, n_q, d_k * h), the heads in turn


def _view_of_transposed(weights: torch.Tensor, V: torch.Tensor) -> torch.Tensor:
    out = weights @ V
    B, h, n_q, d_k = out.shape
    return out.transpose(1, 2).view(B, n_q, h * d_k)  # RuntimeError


def _wrong_axes(weights: torch.Tensor, V: torch.Tensor) -> torch.Tensor:
    out = weights @ V
    B, h, n_q, d_k = out.shape
    return out.transpose(2, 3).reshape(B, n_q, h * d_k)


def _outer_axes(weights: torch.Tensor, V: torch.Tensor) -> torch.Tensor:
    out = weights @ V
    B, h, n_q, d_k = out.shape
    return out.transpose(1, 3).reshape(B, n_q, h * d_k)


def _mean_repeated(weights: torch.Tensor, V: torch.Tensor) -> torch.Tensor:
    return (weights @ V).mean(dim=1).repeat(1, 1, V.shape[1])  # (B, n_q, h * d_k), h times the same


def _mean(weights: torch.Tensor, V: torch.Tensor) -> torch.Tensor:
    return (weights @ V).mean(dim=1)  # (B, n_q, d_k)


def _sum(weights: torch.Tensor, V: torch.Tensor) -> torch.Tensor:
    return (weights @ V).sum(dim=1)  # (B, n_q, d_k)


def _not_merged(weights: torch.Tensor, V: torch.Tensor) -> torch.Tensor:
    return (weights @ V).transpose(1, 2)  # (B, n_q, h, d_k)


def _as_heads(weights: torch.Tensor, V: torch.Tensor) -> torch.Tensor:
    return weights @ V  # (B, h, n_q, d_k)


def _averaged_weights(weights: torch.Tensor, V: torch.Tensor) -> torch.Tensor:
    return merge_heads(weights.mean(dim=1, keepdim=True) @ V)


def _lengths_of_keys(weights: torch.Tensor, V: torch.Tensor) -> torch.Tensor:
    B, h, n_k, d_k = V.shape
    return (weights @ V).transpose(1, 2).reshape(B, n_k, h * d_k)  # RuntimeError when n_q is not n_k


MISTAKES = (
    Mistake(
        id="merge-no-transpose",
        name=N_("the heads are reshaped to (B, n, h * d_k) without swapping heads and tokens first"),
        explanation=N_(
            "The numbers of (B, h, n, d_k) run head by head. Cut into rows of h * d_k as they are, a row holds "
            "several tokens of one head instead of all heads of one token. Nothing complains, and the shape is right."
        ),
        question=N_("Which tokens end up in your first row when each value carries the number of its token?"),
        source="https://github.com/jsbaan/transformer-from-scratch/issues/4",
        wrong={"missing_transpose": _no_transpose},
    ),
    Mistake(
        id="merge-transposes-wrong-axes",
        name=N_("another pair of axes was swapped than heads and tokens"),
        explanation=N_(
            "Before the reshape the axes must be (B, n, h, d_k), so that the numbers of one token are neighbours. "
            "Swapping two other axes of (B, h, n, d_k) gives the right count of numbers in the wrong order."
        ),
        question=N_("What are the four axes called right before your reshape?"),
        source="https://github.com/ajhalthor/Transformer-Neural-Network/issues/8",
        wrong={"missing_transpose": _wrong_axes},
        also={"missing_transpose": [_outer_axes]},
    ),
    Mistake(
        id="merge-interleaves-d-h",
        name=N_("the heads are laid down in turn, number by number, instead of one after the other"),
        explanation=N_(
            "A merged row is all d_k numbers of head 0, then all of head 1, and so on; W_o was trained for that "
            "order. With the axes in the order (d_k, h) the heads alternate."
        ),
        question=N_("Which head does the second number of your first row come from?"),
        source='public code: "b n (d h) -> b h n d"',
        wrong={"missing_transpose": _interleaved},
    ),
    Mistake(
        id="merge-view-without-contiguous",
        name=N_("`view` right after the transpose"),
        explanation=N_(
            "A transpose only changes the order in which memory is read, and `view` refuses to join axes that are not "
            "neighbours in memory. `reshape`, or `contiguous()` before `view`, copies the numbers into the new order."
        ),
        question=N_("What does the exception tell you to use instead of view?"),
        source="https://github.com/facebookresearch/fairseq/issues/2598",
        wrong={"missing_transpose": _view_of_transposed},
    ),
    Mistake(
        id="heads-averaged-not-concatenated",
        name=N_("the heads are averaged or added up instead of laid side by side"),
        explanation=N_(
            "Each head has something of its own to say. A mean or a sum over the heads keeps only d_k numbers of the "
            "d_model, and W_o can no longer tell the heads apart."
        ),
        question=N_("How many numbers per token do h heads with d_k numbers each have to say?"),
        source="https://github.com/awf/functional-transformer/issues/8",
        wrong={"missing_transpose": _mean_repeated},
        also={"missing_transpose": [_mean, _sum]},
    ),
    Mistake(
        id="heads-not-joined",
        name=N_("the heads were never joined: the result still has four axes"),
        explanation=N_(
            "W_o works on one row of h * d_k numbers for each token. After swapping heads and tokens the last two "
            "axes have to be made one."
        ),
        question=N_("How many axes should the result have?"),
        source="https://github.com/ajhalthor/Transformer-Neural-Network/pull/4",
        wrong={"missing_transpose": _not_merged},
        also={"missing_transpose": [_as_heads]},
    ),
    Mistake(
        id="context-from-averaged-weights",
        name=N_("all heads use the mean of the weights"),
        explanation=N_(
            "Each head has its own weights and must use them on its own values. The mean over the heads is for a "
            "picture at most; with it all heads look at the same places."
        ),
        question=N_("Which weights belong to the values of head 1?"),
        source="https://github.com/google-research/bert/issues/994",
        wrong={"missing_transpose": _averaged_weights},
    ),
    Mistake(
        id="lengths-taken-from-keys",
        name=N_("the number of rows was taken from V, where it counts keys, not queries"),
        explanation=N_(
            "There is one answer for each query. In self-attention there are as many keys as queries and nobody "
            "notices; in cross-attention the two lengths differ and the reshape fails."
        ),
        question=N_("Which axis of the weights says how many answers there are?"),
        source="https://github.com/huggingface/transformers/pull/46695",
        wrong={"missing_transpose": _lengths_of_keys},
    ),
)
