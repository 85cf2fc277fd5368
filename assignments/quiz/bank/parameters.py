"""Questions about what a layer stores: how many numbers, in which tensors, in which rows."""

import random
from collections.abc import Callable
from typing import Any

from headcheck.quiz.kinds import Choices, Integer, Parts, Shape
from headcheck.quiz.question import Params, Question, Section, Wrong, wrong_options

from assignments.quiz.bank.draws import d_k, head_width, model_sizes, texts


def linear_parameters(inputs: int, outputs: int) -> int:
    """Count the parameters of a linear layer with bias."""
    return inputs * outputs + outputs


def mha_parameters(d_model: int, h: int) -> int:
    """Count the parameters of multi-head attention head by head: W_q, W_k, W_v of every head, then W_o."""
    d_k = d_model // h
    return h * 3 * linear_parameters(d_model, d_k) + linear_parameters(d_model, d_model)


def two_head_counts(rng: random.Random) -> dict[str, Any]:
    """Draw a model of at most 64 columns and two numbers of heads that divide its width."""
    h, fewer = sorted(rng.sample((2, 4, 8), 2), reverse=True)
    return {"d_model": h * rng.choice((2, 4, 8)), "h": h, "fewer": fewer}


def scaled_with_heads(p: Params) -> int:
    """Give the count of somebody who thinks that it shrinks with the number of heads."""
    return mha_parameters(p["d_model"], p["fewer"]) * p["fewer"] // p["h"]


MISCOUNTS: dict[str, Callable[[Params], int]] = {
    "parameters-without-biases": lambda p: 4 * p["d_model"] ** 2,
    "parameters-without-output": lambda p: 3 * linear_parameters(p["d_model"], p["d_model"]),
    "one-projection-only": lambda p: linear_parameters(p["d_model"], p["d_model"]),
    "one-bias-for-all": lambda p: 4 * p["d_model"] ** 2 + p["d_model"],
}
"""Misconception -> the count it leads to, whatever the number of heads."""

q04 = Question(
    id="q04",
    topic="parameters",
    kind=Parts({"many": Integer(), "few": Integer()}),
    lesson={"d_model": 64, "h": 8, "fewer": 2},
    generate=two_head_counts,
    answer=lambda p: (
        mha_parameters(p["d_model"], p["h"]),
        mha_parameters(p["d_model"], p["fewer"]),
    ),
    wrong=(
        *(
            Wrong(mistake, value, part)
            for part in ("many", "few")
            for mistake, value in MISCOUNTS.items()
        ),
        Wrong(
            "parameters-times-heads",
            lambda p: p["h"] * mha_parameters(p["d_model"], p["h"]),
            "many",
        ),
        Wrong(
            "parameters-times-heads",
            lambda p: p["fewer"] * mha_parameters(p["d_model"], p["fewer"]),
            "few",
        ),
        Wrong(
            "parameters-of-one-head",
            lambda p: mha_parameters(p["d_model"], p["h"]) // p["h"],
            "many",
        ),
        Wrong("count-follows-heads", scaled_with_heads, "few"),
    ),
    texts=texts("q04"),
    read=Section("from_scratch", "5. How many numbers does a layer hold?"),
    derived=lambda p: {
        "weights": 4 * p["d_model"] ** 2,
        "biases": 4 * p["d_model"],
        "d_k": p["d_model"] // p["h"],
    },
)

q05 = Question(
    id="q05",
    topic="parameters",
    kind=Shape(("3 * d_model", "d_model")),
    lesson={"h": 8, "d_model": 64},
    generate=model_sizes,
    answer=lambda p: (3 * p["d_model"], p["d_model"]),
    wrong=(
        Wrong("weight-not-transposed", lambda p: (p["d_model"], 3 * p["d_model"])),
        Wrong("one-projection-only", lambda p: (p["d_model"], p["d_model"])),
        Wrong("output-projection-packed-too", lambda p: (4 * p["d_model"], p["d_model"])),
        Wrong("one-head-only", lambda p: (3 * d_k(p), p["d_model"])),
        Wrong("projections-on-their-own-axis", lambda p: (3, p["d_model"], p["d_model"])),
    ),
    texts=texts("q05"),
    read=Section("torch_module", "1. Copy the weights over, and back"),
    derived=lambda p: {"packed": 3 * p["d_model"]},
)


def other_widths(rng: random.Random) -> dict[str, Any]:
    """Draw a model with keys and values of widths of their own.

    One of these is odd and the other even, so that they never add up to twice d_model.
    """
    return {
        "d_model": rng.choice((4, 6, 8, 10)),
        "h": 2,
        "kdim": rng.choice((3, 5, 7, 9)),
        "vdim": rng.choice((2, 12)),
    }


def matrix_sizes(p: Params) -> tuple[int, int, int, int]:
    """Count the numbers in W_q, W_k, W_v and W_o: (outputs) * (inputs)."""
    d_model = p["d_model"]
    return d_model * d_model, d_model * p["kdim"], d_model * p["vdim"], d_model * d_model


q16 = Question(
    id="q16",
    topic="parameters",
    kind=Integer(),
    lesson={"d_model": 8, "h": 2, "kdim": 3, "vdim": 12},
    generate=other_widths,
    answer=lambda p: sum(matrix_sizes(p)),
    wrong=(
        Wrong("key-width-ignored", lambda p: 4 * p["d_model"] ** 2),
        Wrong("parameters-without-output", lambda p: sum(matrix_sizes(p)[:3])),
        Wrong(
            "own-width-on-both-sides",
            lambda p: 2 * p["d_model"] ** 2 + p["kdim"] ** 2 + p["vdim"] ** 2,
        ),
    ),
    texts=texts("q16"),
    read=Section("torch_module", "1. Copy the weights over, and back"),
    derived=lambda p: dict(
        zip(("size_q", "size_k", "size_v", "size_o"), matrix_sizes(p), strict=True)
    ),
    mistakes=("copy-without-output", "projections-miscounted"),
)

q17 = Question(
    id="q17",
    topic="parameters",
    kind=Choices(
        (
            "separate-weight",
            "copy-needs-in-proj-weight",
            "packed-bias",
            "bias-split-too",
            "output-weight",
        ),
    ),
    lesson={"d_model": 8, "h": 2, "kdim": 3, "vdim": 12},
    generate=other_widths,
    answer=lambda p: ("separate-weight", "packed-bias", "output-weight"),
    wrong=wrong_options(
        "separate-weight",
        "copy-needs-in-proj-weight",
        "packed-bias",
        "bias-split-too",
        "output-weight",
    ),
    texts=texts("q17"),
    read=Section("torch_module", "1. Copy the weights over, and back"),
    mistakes=(
        "copy-into-nothing",
        "copy-without-output",
        "copy-bias-missing",
        "copy-without-no-grad",
    ),
)


def head_between(rng: random.Random) -> dict[str, Any]:
    """Draw a model and one of its heads that is neither the first nor the last."""
    h = rng.choice((4, 8))
    return {"h": h, "d_model": h * rng.choice((2, 5, 10)), "i": rng.randrange(1, h - 1)}


def rows_of(place: int, p: Params) -> tuple[int, int]:
    """Find the rows of head i in the projection that is packed at some place: 0 for W_q, 1 for W_k, 2 for W_v."""
    first = place * p["d_model"] + p["i"] * d_k(p)
    return first, first + d_k(p)


q18 = Question(
    id="q18",
    topic="parameters",
    kind=Parts({"first": Integer(), "stop": Integer()}),
    lesson={"h": 4, "d_model": 32, "i": 1},
    generate=head_between,
    answer=lambda p: rows_of(1, p),
    wrong=(
        Wrong("copy-order-mixed-up", lambda p: rows_of(0, p)[0], "first"),
        Wrong("copy-order-mixed-up", lambda p: rows_of(2, p)[0], "first"),
        Wrong("copy-order-mixed-up", lambda p: rows_of(0, p)[1], "stop"),
        Wrong("copy-order-mixed-up", lambda p: rows_of(2, p)[1], "stop"),
        Wrong("rows-packed-head-by-head", lambda p: (3 * p["i"] + 1) * d_k(p), "first"),
        Wrong("rows-packed-head-by-head", lambda p: (3 * p["i"] + 2) * d_k(p), "stop"),
        Wrong("rows-of-all-heads", lambda p: p["d_model"], "first"),
        Wrong("rows-of-all-heads", lambda p: 2 * p["d_model"], "stop"),
    ),
    texts=texts("q18"),
    read=Section("torch_module", "1. Copy the weights over, and back"),
    derived=lambda p: {**head_width(p), "before": p["i"] * d_k(p)},
    mistakes=(
        "copy-transposed",
        "weight-not-transposed",
        "projections-swapped",
        "columns-of-the-weight",
        "two-inputs-share-a-projection",
        "one-projection-for-all",
        "keys-from-query-matrix",
    ),
)


def small_model(rng: random.Random) -> dict[str, Any]:
    """Draw a model that is small enough to count its numbers without paper."""
    h, d_k = rng.choice(((2, 4), (4, 2), (2, 5), (5, 2), (2, 10), (4, 5)))
    return {"h": h, "d_model": h * d_k}


q19 = Question(
    id="q19",
    topic="parameters",
    kind=Integer(),
    lesson={"h": 4, "d_model": 32},
    generate=small_model,
    answer=lambda p: 3 * linear_parameters(p["d_model"], d_k(p)),
    wrong=(
        Wrong("head-sees-its-own-inputs-only", lambda p: 3 * linear_parameters(d_k(p), d_k(p))),
        Wrong(
            "parameters-times-heads",
            lambda p: 3 * linear_parameters(p["d_model"], p["d_model"]),
        ),
        Wrong("parameters-without-biases", lambda p: 3 * p["d_model"] * d_k(p)),
        Wrong("one-projection-only", lambda p: linear_parameters(p["d_model"], d_k(p))),
    ),
    texts=texts("q19"),
    read=Section("from_scratch", "7. One head by hand"),
    derived=lambda p: {**head_width(p), "one": linear_parameters(p["d_model"], d_k(p))},
    mistakes=("projection-bias-missing", "columns-of-the-weight"),
)
