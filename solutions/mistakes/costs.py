"""Mistakes about what a layer holds and costs, and about one head computed by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from headcheck.diagnosis.bank import Mistake
from headcheck.i18n import N_

from solutions import from_scratch
from solutions.from_scratch import State

Way = Callable[..., Any]


def _head(
    x: torch.Tensor,
    state: State,
    h: int,
    i: int,
    take: Callable[[torch.Tensor, torch.Tensor, torch.Tensor, slice], torch.Tensor],
    divisor: Callable[[int, int], float] = lambda d_k, d_model: d_k**0.5,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Compute a head with another way to project or another scale; take(x, weight, bias, rows) -> (B, n, d_k)."""
    d_k = x.shape[-1] // h
    rows = slice(i * d_k, (i + 1) * d_k)
    Q, K, V = (take(x, state[f"{W}.weight"], state[f"{W}.bias"], rows) for W in ("W_q", "W_k", "W_v"))
    weights = (Q @ K.mT / divisor(d_k, x.shape[-1])).softmax(dim=-1)
    return weights @ V, weights


def _rows(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, rows: slice) -> torch.Tensor:
    return x @ weight[rows].T + bias[rows]


def _taking(take: Callable[[torch.Tensor, torch.Tensor, torch.Tensor, slice], torch.Tensor]) -> Way:
    return lambda x, state, h, i: _head(x, state, h, i, take)


def _dividing(divisor: Callable[[int, int], float]) -> Way:
    return lambda x, state, h, i: _head(x, state, h, i, _rows, divisor)


def _other_head(x: torch.Tensor, state: State, h: int, i: int, other: int) -> Any:
    return from_scratch.one_head_by_hand(x, state, h, other % h)


def _interleaved(x: torch.Tensor, state: State, h: int, i: int) -> Any:
    return _head(x, state, h, i, lambda x, weight, bias, _rows: x @ weight[i::h].T + bias[i::h])


def _costing(change: Callable[[int, int, int, int, int], tuple[int, int, int, int]]) -> Way:
    """Make other costs: change(n, d_model, h, scores, projections)."""

    def way(n: int, d_model: int, h: int) -> tuple[int, int, int, int]:
        scores, _mixing, projections, _weights = from_scratch.attention_cost(n, d_model, h)
        return change(n, d_model, h, scores, projections)

    return way


FURTHER: dict[str, dict[str, tuple[Way, ...]]] = {
    "scale-sqrt-d-model": {"one_head_by_hand": (_dividing(lambda d_k, d_model: d_model**0.5),)},
    "scale-missing": {"one_head_by_hand": (_dividing(lambda d_k, d_model: 1.0),)},
    "projection-bias-missing": {
        "one_head_by_hand": (_taking(lambda x, weight, bias, rows: x @ weight[rows].T),),
    },
    "split-interleaved-d-h": {"one_head_by_hand": (_interleaved,)},
    "head-index-off-by-one": {
        "one_head_by_hand": (
            lambda x, state, h, i: _other_head(x, state, h, i, i - 1),
            lambda x, state, h, i: _other_head(x, state, h, i, i + 1),
        )
    },
    "head-index-ignored": {"one_head_by_hand": (lambda x, state, h, i: _other_head(x, state, h, i, 0),)},
    "results-in-another-order": {
        "one_head_by_hand": (lambda x, state, h, i: from_scratch.one_head_by_hand(x, state, h, i)[::-1],)
    },
}
"""Known mistakes of other modules -> task -> ways to make them here."""

MISTAKES = (
    Mistake(
        id="parameters-times-heads",
        name=N_("the number of parameters grows with the number of heads"),
        symptom=N_("Right for h = 1 only."),
        explanation=N_(
            "A head's projection is (d_model, d_k), and d_k = d_model / h. h of them are one matrix (d_model, d_model) "
            "in h slices: h does not enter."
        ),
        see=N_("Count the parameters of nn.MultiheadAttention(32, 1) and of nn.MultiheadAttention(32, 8)."),
        question=N_("How many columns do all heads have together?"),
        wrong={"count_parameters": lambda d_model, h: h * (4 * d_model**2 + 4 * d_model)},
        also={"count_parameters": [lambda d_model, h: h * 3 * (d_model**2 + d_model) + d_model**2 + d_model]},
    ),
    Mistake(
        id="parameters-of-one-head",
        name=N_("the projections of one head are counted, not of all"),
        symptom=N_("Right for h = 1 only, too small for more."),
        explanation=N_("One head's projection is (d_model, d_k). All heads have one: together (d_model, d_model)."),
        see=N_("Count the parameters of nn.MultiheadAttention(32, 8)."),
        question=N_("For how many heads do you count?"),
        wrong={"count_parameters": lambda d_model, h: 4 * d_model * (d_model // h) + 4 * (d_model // h)},
        also={"count_parameters": [lambda d_model, h: 3 * (d_model + 1) * (d_model // h) + d_model**2 + d_model]},
    ),
    Mistake(
        id="parameters-without-biases",
        name=N_("biases are not counted, or not all of them"),
        symptom=N_("Too small by a multiple of d_model."),
        explanation=N_("Each of the four layers has a bias of d_model numbers: 4 d_model together."),
        see=N_("Print the named parameters of nn.MultiheadAttention(32, 8)."),
        question=N_("How many biases does the layer have?"),
        wrong={"count_parameters": lambda d_model, h: 4 * d_model**2},
        also={
            "count_parameters": [
                lambda d_model, h: 4 * d_model**2 + d_model,
                lambda d_model, h: 4 * d_model**2 + 3 * d_model,
            ]
        },
    ),
    Mistake(
        id="parameters-without-output",
        name=N_("W_o is not counted"),
        symptom=N_("Three quarters of the right number."),
        explanation=N_("The layer has four linear layers: W_q, W_k, W_v, and W_o, which mixes the heads."),
        see=N_("Print the named parameters of nn.MultiheadAttention(32, 8)."),
        question=N_("Which four layers does multi-head attention have?"),
        wrong={"count_parameters": lambda d_model, h: 3 * d_model**2 + 3 * d_model},
    ),
    Mistake(
        id="arithmetic-times-heads",
        name=N_("each head is counted with all d_model columns"),
        symptom=N_("The operations for scores and mixing are too many by a factor of h."),
        explanation=N_(
            "A head has d_k = d_model / h columns. h heads of d_k columns cost what one of d_model columns costs."
        ),
        see=N_("Compare h = 1 and h = 8: the operations should be the same."),
        question=N_("How many products does one score of one head take?"),
        wrong={"attention_cost": _costing(lambda n, d, h, scores, p: (h * scores, h * scores, p, h * n * n))},
    ),
    Mistake(
        id="arithmetic-of-one-head",
        name=N_("operations are counted for one head, not for all"),
        symptom=N_("Too few by a factor of h."),
        explanation=N_("Every head compares all queries with all keys. The cost of all heads together was asked for."),
        see=N_("Compare h = 1 and h = 8: the operations should be the same."),
        question=N_("For how many heads do you count?"),
        wrong={"attention_cost": _costing(lambda n, d, h, scores, p: (scores // h, scores // h, p, h * n * n))},
        also={"attention_cost": [_costing(lambda n, d, h, scores, p: (scores // h, scores // h, p, n * n))]},
    ),
    Mistake(
        id="additions-not-counted",
        name=N_("only multiplications are counted"),
        symptom=N_("Half of the operations."),
        explanation=N_("A sum of b products takes b multiplications and b additions: 2 b operations."),
        see=N_("Count by hand for one token and one column: 2 for each product."),
        question=N_("Where is the factor 2 in your formula?"),
        wrong={"attention_cost": _costing(lambda n, d, h, scores, p: (scores // 2, scores // 2, p // 2, h * n * n))},
    ),
    Mistake(
        id="weights-of-one-head-counted",
        name=N_("the weights of one head are counted, not of all"),
        symptom=N_("The memory does not grow with h."),
        explanation=N_("Each head has weights of its own, n times n of them. This is what more heads do cost."),
        see=N_("Print weights.numel() of a layer with 8 heads."),
        question=N_("Which shape do the weights have?"),
        wrong={"attention_cost": _costing(lambda n, d, h, scores, p: (scores, scores, p, n * n))},
    ),
    Mistake(
        id="projections-miscounted",
        name=N_("not all four projections are counted"),
        symptom=N_("Three quarters, or a quarter, of the operations for projections."),
        explanation=N_("W_q, W_k, W_v and W_o each multiply (n, d_model) by (d_model, d_model)."),
        see=N_("Count by hand for one token and one column: 8."),
        question=N_("How many projections does the layer have?"),
        wrong={"attention_cost": _costing(lambda n, d, h, scores, p: (scores, scores, p * 3 // 4, h * n * n))},
        also={"attention_cost": [_costing(lambda n, d, h, scores, p: (scores, scores, p // 4, h * n * n))]},
    ),
    Mistake(
        id="columns-of-the-weight",
        name=N_("columns of the weight are taken, not rows"),
        symptom=N_("Right shapes, all numbers wrong."),
        explanation=N_(
            "nn.Linear keeps its weight as (out, in). The outputs of head i are rows of it; columns belong to the "
            "inputs, which every head sees in full."
        ),
        see=N_("Print W_q.weight.shape for a layer with another number of outputs than inputs."),
        question=N_("Which axis of the weight belongs to the outputs?"),
        wrong={"one_head_by_hand": _taking(lambda x, weight, bias, rows: x @ weight[:, rows] + bias[rows])},
    ),
    Mistake(
        id="head-sees-its-own-inputs-only",
        name=N_("the head is given a part of x, not the whole of it"),
        symptom=N_("Right shapes, all numbers wrong unless h = 1."),
        explanation=N_(
            "Heads share out the columns of Q, K and V, not those of x. Each head's projection reads all d_model "
            "numbers of a token."
        ),
        see=N_("Change the last column of x: the weights of head 0 should change too."),
        question=N_("Which columns of x go into head 0?"),
        wrong={
            "one_head_by_hand": _taking(lambda x, weight, bias, rows: x[..., rows] @ weight[rows, rows].T + bias[rows])
        },
    ),
)
