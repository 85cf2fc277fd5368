"""Questions about what attention costs: FLOPs and memory."""

import random
from typing import Any

from headcheck.quiz.kinds import Integer, Number, Parts
from headcheck.quiz.question import Params, Question, Section, Wrong

from assignments.quiz.bank.draws import LENGTHS, d_k, head_width, model_sizes, texts


def score_flops(n: int, d_model: int, h: int) -> int:
    """Count the multiplications and additions of Q K^T over all heads."""
    return h * 2 * n * n * (d_model // h)


def weight_numbers(n: int, h: int) -> int:
    """Count the numbers in the attention weights (h, n, n) of one example."""
    return h * n * n


def growing_heads(rng: random.Random) -> dict[str, Any]:
    """Draw a model whose single head is split into several."""
    return {"n": rng.choice(LENGTHS), **model_sizes(rng)}


def growth(p: Params) -> tuple[float, float]:
    """Compute by which factors FLOPs and memory change between one head and h heads."""
    flops = score_flops(p["n"], p["d_model"], p["h"]) / score_flops(p["n"], p["d_model"], 1)
    return flops, weight_numbers(p["n"], p["h"]) / weight_numbers(p["n"], 1)


q08 = Question(
    id="q08",
    topic="costs",
    kind=Parts({"flops": Number(), "memory": Number()}),
    lesson={"n": 10, "h": 8, "d_model": 64},
    generate=growing_heads,
    answer=growth,
    wrong=(
        Wrong("arithmetic-times-heads", lambda p: p["h"], "flops"),
        Wrong("arithmetic-of-one-head", lambda p: 1 / p["h"], "flops"),
        Wrong("memory-like-flops", lambda p: 1, "memory"),
        Wrong("memory-shrinks-with-width", lambda p: 1 / p["h"], "memory"),
        Wrong("heads-on-both-axes", lambda p: p["h"] ** 2, "memory"),
    ),
    texts=texts("q08"),
    read=Section("from_scratch", "6. What does it cost?"),
    derived=lambda p: {
        **head_width(p),
        "flops": score_flops(p["n"], p["d_model"], p["h"]),
        "numbers_one": weight_numbers(p["n"], 1),
        "numbers_many": weight_numbers(p["n"], p["h"]),
    },
)


def counted_sizes(rng: random.Random) -> dict[str, Any]:
    """Draw sizes whose operations can be counted without paper."""
    h = rng.choice((4, 8))
    return {"n": rng.choice((3, 5, 10)), "h": h, "d_model": h * rng.choice((2, 5, 10))}


q34 = Question(
    id="q34",
    topic="costs",
    kind=Integer(),
    lesson={"n": 10, "h": 4, "d_model": 32},
    generate=counted_sizes,
    answer=lambda p: score_flops(p["n"], p["d_model"], p["h"]),
    wrong=(
        Wrong("additions-not-counted", lambda p: p["n"] ** 2 * p["d_model"]),
        Wrong("arithmetic-times-heads", lambda p: p["h"] * 2 * p["n"] ** 2 * p["d_model"]),
        Wrong("arithmetic-of-one-head", lambda p: 2 * p["n"] ** 2 * d_k(p)),
        Wrong("one-query-only", lambda p: 2 * p["n"] * p["d_model"]),
    ),
    texts=texts("q34"),
    read=Section("from_scratch", "6. What does it cost?"),
    derived=lambda p: {
        **head_width(p),
        "pairs": p["n"] ** 2,
        "one_head": 2 * p["n"] ** 2 * d_k(p),
    },
)

q35 = Question(
    id="q35",
    topic="costs",
    kind=Parts({"scores": Number(), "weights": Number(), "projections": Number()}),
    lesson={"times": 2},
    generate=lambda rng: {"times": rng.choice((2, 3, 4, 5, 10))},
    answer=lambda p: (p["times"] ** 2, p["times"] ** 2, p["times"]),
    wrong=(
        Wrong("grows-with-length-only", lambda p: p["times"], "scores"),
        Wrong("grows-with-length-only", lambda p: p["times"], "weights"),
        Wrong("projections-like-scores", lambda p: p["times"] ** 2, "projections"),
        Wrong("projections-know-no-length", lambda p: 1, "projections"),
    ),
    texts=texts("q35"),
    read=Section("from_scratch", "6. What does it cost?"),
    mistakes=("weights-of-one-head-counted", "projections-miscounted"),
)

q36 = Question(
    id="q36",
    topic="costs",
    kind=Integer(),
    lesson={"d_model": 32},
    generate=lambda rng: {"d_model": rng.choice((8, 10, 16, 20, 50, 64, 100))},
    answer=lambda p: 2 * p["d_model"],
    wrong=(
        Wrong("mixing-not-counted", lambda p: 4 * p["d_model"]),
        Wrong("projections-miscounted", lambda p: 3 * p["d_model"] // 2),
        Wrong("one-projection-only", lambda p: p["d_model"] // 2),
        Wrong("additions-not-counted", lambda p: p["d_model"]),
    ),
    texts=texts("q36"),
    read=Section("from_scratch", "6. What does it cost?"),
)
