"""Mistakes about what is handed back: which weights, of which head, and how many values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from headcheck.diagnosis.bank import Choice, Context, Mistake
from headcheck.i18n import N_

from solutions.attention import State
from solutions.mistakes.pieces import masked_module, module
from solutions.pipeline import output_of


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
    return masked_module(x, state, h, ~token, batch_first=True)


def shown(make: Callable[[Context], torch.Tensor]) -> Choice:
    """Hand back other weights than those that are used."""
    return {"weights": lambda c: {"shown": make(c)}}


def packed(make: Callable[[torch.Tensor, torch.Tensor], Any]) -> Choice:
    """Hand back output and weights in another way."""
    return {"returned": lambda c: {"result": make(output_of(c), c["shown"])}}


MISTAKES = (
    Mistake(
        id="weights-averaged-over-heads",
        name=N_("these weights are the mean over all heads"),
        symptom=N_("Right output; weights with one axis too few."),
        explanation=N_(
            "Every head has weights of its own, (B, h, n_q, n_k). Their mean, which nn.MultiheadAttention returns "
            "unless it is told not to, has lost the head axis; an index on axis 1 then picks a query and not a head."
        ),
        see=N_("Print the shape of the weights."),
        question=N_("Where is the head axis of the weights that you return?"),
        source="https://github.com/pytorch/pytorch/issues/34537",
        choices=[
            shown(lambda c: c["weights"].mean(dim=1)),
            shown(lambda c: c["weights"].mean(dim=1, keepdim=True)),
            shown(lambda c: c["weights"].mean(dim=1, keepdim=True).expand_as(c["weights"])),
            shown(lambda c: c["weights"].sum(dim=1)),
        ],
        wrong={"averaged_weights": _row_of_the_mean},
        also={"averaged_weights": [_the_mean]},
    ),
    Mistake(
        id="weights-are-logits",
        name=N_("the scores before softmax are handed back as weights"),
        symptom=N_("Right output; weights below 0 or above 1, minus infinity at padding."),
        explanation=N_(
            "The output is made with the weights, but the scores are returned. Whoever reads them as shares of "
            "attention sees negative ones."
        ),
        see=N_("Add up a row of the weights that you return."),
        question=N_("Which variable do you return beside the output?"),
        source="https://github.com/openai/whisper",
        choices=[
            shown(lambda c: c["scores"]),
            shown(lambda c: c["plain"]),
            shown(lambda c: c["plain"] * c["Q"].shape[-1] ** 0.5),
        ],
        tasks=("multi_head_attention", "attention"),
    ),
    Mistake(
        id="weights-before-the-mask",
        name=N_("the weights that are handed back were made without the mask"),
        symptom=N_("Right output; the returned weights give something to padding."),
        explanation=N_("The mask reaches the weights that are used but not those that are returned."),
        see=N_("Print the returned weights of a padded key: they should be zero."),
        question=N_("Which variable do you return beside the output?"),
        choices=[shown(lambda c: c["plain"].softmax(dim=-1))],
        tasks=("multi_head_attention", "attention"),
    ),
    Mistake(
        id="weights-of-one-head",
        name=N_("the weights of a single head are handed back"),
        symptom=N_("Right output; weights with one axis too few, or the same for every head."),
        explanation=N_("Every head has weights of its own, and all of them are asked for: (B, h, n_q, n_k)."),
        see=N_("Print the shape of the weights."),
        question=N_("Where is the head axis of the weights that you return?"),
        choices=[
            shown(lambda c: c["weights"][:, 0]),
            shown(lambda c: c["weights"][:, -1]),
            shown(lambda c: c["weights"][:, :1]),
            shown(lambda c: c["weights"][:, :1].expand_as(c["weights"])),
            shown(lambda c: c["weights"][:, -1:].expand_as(c["weights"])),
        ],
    ),
    Mistake(
        id="weights-with-axes-in-another-order",
        name=N_("the axes of the returned weights are in another order"),
        symptom=N_("Right output; the weights have the right numbers at other places."),
        explanation=N_("The weights should have the axes (B, h, n_q, n_k): sentence, head, query, key."),
        see=N_("Use four different sizes and print the shape of the weights."),
        question=N_("What does each axis of the weights that you return count?"),
        choices=[
            shown(lambda c: c["weights"].transpose(-2, -1)),
            shown(lambda c: c["weights"].transpose(1, 2)),
            shown(lambda c: c["weights"].transpose(0, 1)),
            shown(lambda c: c["weights"].flatten(0, 1)),
            shown(lambda c: c["weights"].transpose(0, 1).flatten(0, 1)),
            shown(lambda c: c["weights"].permute(0, 2, 3, 1)),
        ],
    ),
    Mistake(
        id="size-one-axes-squeezed",
        name=N_("axes of size one are squeezed away"),
        symptom=N_("Right in most batches; a batch of one, a single query or a single head loses an axis."),
        explanation=N_(
            "`squeeze()` removes every axis of size one, also those that are one only by chance. Name the axis that is "
            "to go, or index it."
        ),
        see=N_("Run a batch of one sentence and print the shapes."),
        question=N_("What does your code do to a batch of one?"),
        choices=[
            packed(lambda out, weights: (out.squeeze(), weights.squeeze())),
            packed(lambda out, weights: (out.squeeze(), weights)),
            packed(lambda out, weights: (out, weights.squeeze())),
            packed(lambda out, weights: (out.squeeze(0), weights.squeeze(0))),
            packed(lambda out, weights: (out.squeeze(0), weights)),
            packed(lambda out, weights: (out, weights.squeeze(0))),
            packed(lambda out, weights: (out.squeeze(1), weights.squeeze(1))),
            packed(lambda out, weights: (out, weights.squeeze(1))),
        ],
    ),
    Mistake(
        id="weights-not-returned",
        name=N_("only the output is returned"),
        symptom=N_("One tensor, or None, where output and weights are asked for."),
        explanation=N_("Both results are asked for: the output and the weights, in this order."),
        see=N_("Print what your function returns, or its type."),
        question=N_("What stands after return?"),
        choices=[packed(lambda out, weights: out), packed(lambda out, weights: (out, None))],
    ),
    Mistake(
        id="results-in-another-order",
        name=N_("the weights are returned first and the output second"),
        symptom=N_("Both results are right and have changed places."),
        explanation=N_("Output first, weights second, as in nn.MultiheadAttention."),
        see=N_("Print the shapes of the two results."),
        question=N_("What stands after return, and in which order?"),
        choices=[packed(lambda out, weights: (weights, out))],
    ),
    Mistake(
        id="output-not-returned",
        name=N_("only the weights are returned"),
        symptom=N_("One tensor where output and weights are asked for."),
        explanation=N_("Both results are asked for: the output and the weights, in this order."),
        see=N_("Print what your function returns, or its type."),
        question=N_("What stands after return?"),
        choices=[packed(lambda out, weights: weights)],
    ),
    Mistake(
        id="head-index-off-by-one",
        name=N_("these are the weights of the head before the one that was asked for"),
        symptom=N_("The right shape; the weights of the neighbour."),
        explanation=N_("Heads are counted from 0 here, as Python counts. Head i is at index i, not at i - 1."),
        see=N_("Ask for head 0 and compare with the first of all heads."),
        question=N_("Which index does the first head have?"),
        source="https://github.com/rasbt/machine-learning-book/issues/238",
        wrong={"averaged_weights": _head_before},
    ),
    Mistake(
        id="head-index-ignored",
        name=N_("the same head (or all heads) whatever head was asked for"),
        symptom=N_("The same result for every i, or one axis too many."),
        explanation=N_("The argument i says which head is wanted, and the result does not depend on it."),
        see=N_("Ask for two heads and compare."),
        question=N_("Where does your function use i?"),
        source="https://github.com/pytorch/pytorch/issues/34537",
        wrong={"averaged_weights": _head_zero},
        also={"averaged_weights": [_every_head]},
    ),
    Mistake(
        id="head-index-on-wrong-axis",
        name=N_("the index of the head is used on another axis"),
        symptom=N_("A wrong shape or an IndexError."),
        explanation=N_(
            "Weights of all heads have the axes (B, h, n, n): sentence, head, query, key. `W[i]` takes a sentence, "
            "`W[:, :, i]` a query and `W[..., i]` a key; the head is on axis 1."
        ),
        see=N_("Print the shape before and after the index."),
        question=N_("What does each of the four axes of the weights stand for?"),
        source="https://github.com/facebookresearch/detr/issues/162",
        wrong={"averaged_weights": _index_of_batch},
        also={"averaged_weights": [_index_of_query, _index_of_key]},
    ),
    Mistake(
        id="output-and-weights-returned",
        name=N_("both results of the module are returned, output and weights"),
        symptom=N_("A pair where one tensor is asked for."),
        explanation=N_(
            "Calling nn.MultiheadAttention gives a pair. Only its first part, the output, is asked for here."
        ),
        see=N_("Print the type of the result."),
        question=N_("How many values does `mha(x, x, x)` give back?"),
        source="https://github.com/pytorch/pytorch/issues/109528",
        wrong={"batch_first": _pair, "inverted_mask": _masked_pair},
    ),
)
