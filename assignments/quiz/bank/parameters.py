"""Questions about what heads cost: parameters, the scale of the scores, FLOPs and memory."""

import math
import random
from collections.abc import Callable
from typing import Any

from headcheck.quiz.kinds import Integer, Number, Parts
from headcheck.quiz.question import Params, Question, Wrong

from assignments.quiz.bank.draws import HEADS_AND_WIDTHS, LENGTHS, head_width, model_sizes, texts


def linear_parameters(inputs: int, outputs: int) -> int:
    """Count the parameters of a linear layer with bias."""
    return inputs * outputs + outputs


def mha_parameters(d_model: int, h: int) -> int:
    """Count the parameters of multi-head attention head by head: W_q, W_k, W_v of every head, then W_o."""
    d_k = d_model // h
    return h * 3 * linear_parameters(d_model, d_k) + linear_parameters(d_model, d_model)


def score_flops(n: int, d_model: int, h: int) -> int:
    """Count the multiplications and additions of Q K^T over all heads."""
    return h * 2 * n * n * (d_model // h)


def weight_numbers(n: int, h: int) -> int:
    """Count the numbers in the attention weights (h, n, n) of one example."""
    return h * n * n


def two_head_counts(rng: random.Random) -> dict[str, Any]:
    """Draw a model and two numbers of heads that divide its width."""
    h, fewer = sorted(rng.sample(HEADS_AND_WIDTHS, 2), reverse=True)
    return {"d_model": h * rng.choice(HEADS_AND_WIDTHS), "h": h, "fewer": fewer}


def scaled_with_heads(p: Params) -> int:
    """Give the count of somebody who thinks that it shrinks with the number of heads."""
    return mha_parameters(p["d_model"], p["fewer"]) * p["fewer"] // p["h"]


MISCOUNTS: dict[str, Callable[[Params], int]] = {
    "biases-forgotten": lambda p: 4 * p["d_model"] ** 2,
    "output-projection-missing": lambda p: 3 * linear_parameters(p["d_model"], p["d_model"]),
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
    answer=lambda p: (mha_parameters(p["d_model"], p["h"]), mha_parameters(p["d_model"], p["fewer"])),
    wrong=(
        *(Wrong(mistake, value, part) for part in ("many", "few") for mistake, value in MISCOUNTS.items()),
        Wrong("every-head-full-width", lambda p: p["h"] * mha_parameters(p["d_model"], p["h"]), "many"),
        Wrong("every-head-full-width", lambda p: p["fewer"] * mha_parameters(p["d_model"], p["fewer"]), "few"),
        Wrong("one-head-only", lambda p: mha_parameters(p["d_model"], p["h"]) // p["h"], "many"),
        Wrong("count-follows-heads", scaled_with_heads, "few"),
    ),
    texts=texts("q04"),
    derived=lambda p: {
        "weights": 4 * p["d_model"] ** 2,
        "biases": 4 * p["d_model"],
        "d_k": p["d_model"] // p["h"],
    },
)

q07 = Question(
    id="q07",
    topic="scale",
    kind=Number(),
    lesson={"h": 8, "d_model": 64},
    generate=model_sizes,
    answer=lambda p: math.sqrt(p["d_model"] // p["h"]),
    wrong=(
        Wrong("scale-sqrt-d-model", lambda p: math.sqrt(p["d_model"])),
        Wrong("scale-twice", lambda p: p["d_model"] // p["h"]),
        Wrong("scale-inverted", lambda p: 1 / math.sqrt(p["d_model"] // p["h"])),
        Wrong("scale-missing", lambda p: 1.0),
    ),
    texts=texts("q07"),
    derived=lambda p: {**head_width(p), "root": f"{math.sqrt(p['d_model'] // p['h']):.3f}"},
)


def growing_heads(rng: random.Random) -> dict[str, Any]:
    """Draw a model whose single head is split into several."""
    return {"n": rng.choice(LENGTHS), **model_sizes(rng)}


def growth(p: Params) -> tuple[float, float]:
    """Compute by which factors FLOPs and memory change between one head and h heads."""
    flops = score_flops(p["n"], p["d_model"], p["h"]) / score_flops(p["n"], p["d_model"], 1)
    return flops, weight_numbers(p["n"], p["h"]) / weight_numbers(p["n"], 1)


q08 = Question(
    id="q08",
    topic="cost",
    kind=Parts({"flops": Number(), "memory": Number()}),
    lesson={"n": 10, "h": 8, "d_model": 64},
    generate=growing_heads,
    answer=growth,
    wrong=(
        Wrong("flops-grow-with-heads", lambda p: p["h"], "flops"),
        Wrong("flops-of-one-head", lambda p: 1 / p["h"], "flops"),
        Wrong("memory-like-flops", lambda p: 1, "memory"),
        Wrong("memory-shrinks-with-width", lambda p: 1 / p["h"], "memory"),
        Wrong("heads-on-both-axes", lambda p: p["h"] ** 2, "memory"),
    ),
    texts=texts("q08"),
    derived=lambda p: {
        **head_width(p),
        "flops": score_flops(p["n"], p["d_model"], p["h"]),
        "numbers_one": weight_numbers(p["n"], 1),
        "numbers_many": weight_numbers(p["n"], p["h"]),
    },
)
