"""Questions about widths and shapes: how columns become heads, what a head computes, how heads are joined."""

import math
import random
from typing import Any

from headcheck.quiz.kinds import Integer, Number, Parts, Shape
from headcheck.quiz.question import Params, Question, Section, Wrong

from assignments.quiz.bank.draws import (
    cross_sizes,
    d_k,
    head_width,
    input_sizes,
    model_sizes,
    texts,
)

LESSON = {"B": 4, "n": 10, "h": 8, "d_model": 64}

q01 = Question(
    id="q01",
    topic="shapes",
    kind=Integer(),
    lesson={"h": 8, "d_model": 64},
    generate=model_sizes,
    answer=d_k,
    wrong=(
        Wrong("d-model-for-d-k", lambda p: p["d_model"]),
        Wrong("multiplied-by-heads", lambda p: p["d_model"] * p["h"]),
        Wrong("all-three-projections-counted", lambda p: 3 * d_k(p)),
    ),
    texts=texts("q01"),
    read=Section("from_scratch", "1. Deal the columns out"),
    derived=lambda p: {"step": p["d_model"] // p["h"]},
)

q02 = Question(
    id="q02",
    topic="shapes",
    kind=Shape(("B", "h", "n", "d_k"), tell_length=True),
    lesson=LESSON,
    generate=input_sizes,
    answer=lambda p: (p["B"], p["h"], p["n"], d_k(p)),
    wrong=(
        Wrong("attends-over-heads", lambda p: (p["B"], p["n"], p["h"], d_k(p))),
        Wrong("keys-already-transposed", lambda p: (p["B"], p["h"], d_k(p), p["n"])),
        Wrong("heads-before-batch", lambda p: (p["h"], p["B"], p["n"], d_k(p))),
        Wrong("d-model-for-d-k", lambda p: (p["B"], p["h"], p["n"], p["d_model"])),
        Wrong("heads-not-split", lambda p: (p["B"], p["n"], p["d_model"])),
        Wrong("heads-folded-into-batch", lambda p: (p["B"] * p["h"], p["n"], d_k(p))),
    ),
    texts=texts("q02"),
    read=Section("from_scratch", "1. Deal the columns out"),
    derived=head_width,
)

q03 = Question(
    id="q03",
    topic="shapes",
    kind=Shape(("B", "h", "n_q", "n_k")),
    lesson=LESSON,
    generate=input_sizes,
    answer=lambda p: (p["B"], p["h"], p["n"], p["n"]),
    wrong=(
        Wrong("weights-averaged-over-heads", lambda p: (p["B"], p["n"], p["n"])),
        Wrong("attends-over-heads", lambda p: (p["B"], p["n"], p["h"], p["h"])),
        Wrong("queries-for-weights", lambda p: (p["B"], p["h"], p["n"], d_k(p))),
        Wrong("features-compared", lambda p: (p["B"], p["h"], d_k(p), d_k(p))),
        Wrong("heads-last", lambda p: (p["B"], p["n"], p["n"], p["h"])),
    ),
    texts=texts("q03"),
    read=Section("from_scratch", "3. Attention, in every head at once"),
    derived=head_width,
)

q07 = Question(
    id="q07",
    topic="shapes",
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
    read=Section("bug_hunt", "6. The wrong square root"),
    derived=lambda p: {**head_width(p), "root": f"{math.sqrt(p['d_model'] // p['h']):.3f}"},
)

q13 = Question(
    id="q13",
    topic="shapes",
    kind=Shape(("B", "n_q", "h", "d_k")),
    lesson={"B": 3, "n_q": 5, "n_k": 7, "h": 4, "d_model": 32},
    generate=cross_sizes,
    answer=lambda p: (p["B"], p["n_q"], p["h"], d_k(p)),
    wrong=(
        Wrong("merge-no-transpose", lambda p: (p["B"], p["h"], p["n_q"], d_k(p))),
        Wrong("heads-joined-too-early", lambda p: (p["B"], p["n_q"], p["d_model"])),
        Wrong("merge-transposes-wrong-axes", lambda p: (p["B"], p["h"], d_k(p), p["n_q"])),
        Wrong("lengths-taken-from-keys", lambda p: (p["B"], p["n_k"], p["h"], d_k(p))),
    ),
    texts=texts("q13"),
    read=Section("from_scratch", "2. Put the columns back"),
    derived=head_width,
    mistakes=(
        "heads-not-joined",
        "merge-view-without-contiguous",
        "heads-joined-along-the-sequence",
    ),
)


def one_of_the_heads(rng: random.Random) -> dict[str, Any]:
    """Draw a model and one of its heads, not the first."""
    sizes = model_sizes(rng)
    return {**sizes, "i": rng.randrange(1, sizes["h"])}


q14 = Question(
    id="q14",
    topic="shapes",
    kind=Parts({"first": Integer(), "stop": Integer()}),
    lesson={"h": 4, "d_model": 32, "i": 1},
    generate=one_of_the_heads,
    answer=lambda p: (p["i"] * d_k(p), (p["i"] + 1) * d_k(p)),
    wrong=(
        Wrong("head-index-off-by-one", lambda p: (p["i"] - 1) * d_k(p), "first"),
        Wrong("head-index-off-by-one", lambda p: p["i"] * d_k(p), "stop"),
        Wrong("split-interleaved-d-h", lambda p: p["i"], "first"),
        Wrong("slice-end-included", lambda p: (p["i"] + 1) * d_k(p) - 1, "stop"),
        Wrong("heads-for-head-width", lambda p: p["i"] * p["h"], "first"),
        Wrong("heads-for-head-width", lambda p: (p["i"] + 1) * p["h"], "stop"),
    ),
    texts=texts("q14"),
    read=Section("from_scratch", "7. One head by hand"),
    derived=head_width,
    mistakes=(
        "head-index-ignored",
        "columns-of-the-weight",
        "head-sees-its-own-inputs-only",
        "merge-heads-in-another-order",
        "every-other-column",
        "every-head-sees-the-first-columns",
    ),
)


def coded_sizes(rng: random.Random) -> dict[str, Any]:
    """Draw a small tensor whose entries are 10 * token + column, and a place of its view.

    n >= t (h - 1) + 2 makes sure that the view puts another number there than a right split would.
    """
    h, d_k = rng.choice(((2, 2), (2, 3), (2, 4), (3, 2), (4, 2)))
    t = rng.choice((1, 2))
    n = t * (h - 1) + 2 + rng.choice((0, 1))
    return {"n": n, "h": h, "d_model": h * d_k, "i": rng.randrange(1, h), "t": t}


def viewed(p: Params) -> tuple[int, int]:
    """Find token and column that `view` puts first into row t of head i."""
    row = p["i"] * p["n"] + p["t"]  # rows of d_k numbers, in the order of memory
    return row // p["h"], row % p["h"] * d_k(p)


q15 = Question(
    id="q15",
    topic="shapes",
    kind=Integer(),
    lesson={"n": 3, "h": 2, "d_model": 4, "i": 1, "t": 1},
    generate=coded_sizes,
    answer=lambda p: 10 * viewed(p)[0] + viewed(p)[1],
    wrong=(
        Wrong("split-view-no-transpose", lambda p: 10 * p["t"] + p["i"] * d_k(p)),
        Wrong("split-interleaved-d-h", lambda p: 10 * p["t"] + p["i"]),
    ),
    texts=texts("q15"),
    read=Section("bug_hunt", "1. A view that is too short"),
    derived=lambda p: {
        **head_width(p),
        "row": p["i"] * p["n"] + p["t"],
        "token": viewed(p)[0],
        "column": viewed(p)[1],
        "last_token": p["n"] - 1,
        "last_column": p["d_model"] - 1,
    },
    mistakes=(
        "split-and-merge-view-no-transpose",
        "split-only-query-wrong",
        "split-only-key-wrong",
        "split-only-value-wrong",
        "split-transpose-before-view",
        "key-reshaped-not-transposed",
        "reshape-instead-of-transpose",
    ),
)
