"""Mistakes about what is handed back: which weights, of which head, and how many values."""

from __future__ import annotations

import torch
from headcheck.diagnosis.bank import Mistake
from headcheck.i18n import N_

from solutions.attention import State
from solutions.mistakes.pieces import module


def _all_weights(x: torch.Tensor, state: State, h: int) -> torch.Tensor:
    mha = module(state, h, batch_first=True)
    return mha(x, x, x, average_attn_weights=False)[1]  # (B, h, n, n)


def _mean_weights(x: torch.Tensor, state: State, h: int) -> torch.Tensor:
    mha = module(state, h, batch_first=True)
    return mha(x, x, x)[1]  # (B, n, n)


def _row_of_the_mean(x: torch.Tensor, state: State, h: int, i: int) -> torch.Tensor:
    return _mean_weights(x, state, h)[:, i]  # (B, n)


def _the_mean(x: torch.Tensor, state: State, h: int, i: int) -> torch.Tensor:
    return _mean_weights(x, state, h)  # (B, n, n)


def _head_before(x: torch.Tensor, state: State, h: int, i: int) -> torch.Tensor:
    return _all_weights(x, state, h)[:, i - 1]


def _head_zero(x: torch.Tensor, state: State, h: int, i: int) -> torch.Tensor:
    return _all_weights(x, state, h)[:, 0]


def _every_head(x: torch.Tensor, state: State, h: int, i: int) -> torch.Tensor:
    return _all_weights(x, state, h)  # (B, h, n, n)


def _index_of_batch(x: torch.Tensor, state: State, h: int, i: int) -> torch.Tensor:
    return _all_weights(x, state, h)[i]  # (h, n, n), or IndexError


def _index_of_query(x: torch.Tensor, state: State, h: int, i: int) -> torch.Tensor:
    return _all_weights(x, state, h)[:, :, i]  # (B, h, n)


def _index_of_key(x: torch.Tensor, state: State, h: int, i: int) -> torch.Tensor:
    return _all_weights(x, state, h)[..., i]  # (B, h, n)


def _pair(x: torch.Tensor, state: State, h: int) -> tuple[torch.Tensor, torch.Tensor]:
    return module(state, h, batch_first=True)(x, x, x)


def _masked_pair(x: torch.Tensor, token: torch.Tensor, state: State, h: int) -> tuple[torch.Tensor, torch.Tensor]:
    return module(state, h, batch_first=True)(x, x, x, key_padding_mask=~token)


MISTAKES = (
    Mistake(
        id="weights-averaged-over-heads",
        name=N_("these weights are the mean over all heads"),
        explanation=N_(
            "nn.MultiheadAttention averages the weights over the heads unless it is told not to, and returns (B, n, "
            "n). An index on axis 1 then picks a row, the weights of one query, and not a head."
        ),
        question=N_("Which argument of nn.MultiheadAttention's call keeps the heads apart?"),
        source="https://github.com/pytorch/pytorch/issues/34537",
        wrong={"averaged_weights": _row_of_the_mean},
        also={"averaged_weights": [_the_mean]},
    ),
    Mistake(
        id="head-index-off-by-one",
        name=N_("these are the weights of the head before the one that was asked for"),
        explanation=N_("Heads are counted from 0 here, as Python counts. Head i is at index i, not at i - 1."),
        question=N_("Which index does the first head have?"),
        source="https://github.com/rasbt/machine-learning-book/issues/238",
        wrong={"averaged_weights": _head_before},
    ),
    Mistake(
        id="head-index-ignored",
        name=N_("the same head (or all heads) whatever head was asked for"),
        explanation=N_("The argument i says which head is wanted, and the result does not depend on it."),
        question=N_("Where does your function use i?"),
        source="https://github.com/pytorch/pytorch/issues/34537",
        wrong={"averaged_weights": _head_zero},
        also={"averaged_weights": [_every_head]},
    ),
    Mistake(
        id="head-index-on-wrong-axis",
        name=N_("the index of the head is used on another axis"),
        explanation=N_(
            "Weights of all heads have the axes (B, h, n, n): sentence, head, query, key. `W[i]` takes a sentence, "
            "`W[:, :, i]` a query and `W[..., i]` a key; the head is on axis 1."
        ),
        question=N_("What does each of the four axes of the weights stand for?"),
        source="https://github.com/facebookresearch/detr/issues/162",
        wrong={"averaged_weights": _index_of_batch},
        also={"averaged_weights": [_index_of_query, _index_of_key]},
    ),
    Mistake(
        id="output-and-weights-returned",
        name=N_("both results of the module are returned, output and weights"),
        explanation=N_(
            "Calling nn.MultiheadAttention gives a pair. Only its first part, the output, is asked for here."
        ),
        question=N_("How many values does `mha(x, x, x)` give back?"),
        source="https://github.com/pytorch/pytorch/issues/109528",
        wrong={"batch_first": _pair, "inverted_mask": _masked_pair},
    ),
)
