"""Questions about widths and shapes: heads, weights, packed projections, cross-attention."""

import random
from typing import Any

from headcheck.quiz.kinds import Choice, Integer, Parts, Shape
from headcheck.quiz.question import Params, Question, Wrong, wrong_options

from assignments.quiz.bank.draws import LENGTHS, head_width, input_sizes, model_sizes, texts

LESSON = {"B": 4, "n": 10, "h": 8, "d_model": 64}


def d_k(p: Params) -> int:
    """Compute the width of one head."""
    return int(head_width(p)["d_k"])


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
    derived=head_width,
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
    derived=lambda p: {"packed": 3 * p["d_model"]},
)

q06 = Question(
    id="q06",
    topic="weights",
    kind=Parts(
        {
            "shape": Shape(("B", "n_q", "n_k")),
            "meaning": Choice(
                ("weights-of-first-head", "heads-summed", "mean-over-heads", "softmax-of-averaged-scores"), "meaning"
            ),
        }
    ),
    lesson=LESSON,
    generate=input_sizes,
    answer=lambda p: ((p["B"], p["n"], p["n"]), "mean-over-heads"),
    wrong=(
        Wrong("weights-averaged-over-heads", lambda p: (p["B"], p["h"], p["n"], p["n"]), "shape"),
        Wrong("batch-and-sequence-swapped", lambda p: (p["n"], p["B"], p["B"]), "shape"),
        Wrong("output-for-weights", lambda p: (p["B"], p["n"], p["d_model"]), "shape"),
        Wrong("batch-axis-forgotten", lambda p: (p["n"], p["n"]), "shape"),
        *wrong_options("weights-of-first-head", "heads-summed", "softmax-of-averaged-scores", part="meaning"),
    ),
    texts=texts("q06"),
)


def cross_sizes(rng: random.Random) -> dict[str, Any]:
    """Draw the sizes of a cross-attention call; B, n_q, n_k, h and d_k all differ."""
    B, n_q, n_k = rng.sample(LENGTHS, 3)
    return {"B": B, "n_q": n_q, "n_k": n_k, **model_sizes(rng)}


q10 = Question(
    id="q10",
    topic="cross-attention",
    kind=Parts(
        {
            "output": Shape(("B", "n_q", "d_model")),
            "averaged": Shape(("B", "n_q", "n_k")),
            "per_head": Shape(("B", "h", "n_q", "n_k")),
        }
    ),
    lesson={"B": 2, "n_q": 5, "n_k": 9, "h": 8, "d_model": 64},
    generate=cross_sizes,
    answer=lambda p: (
        (p["B"], p["n_q"], p["d_model"]),
        (p["B"], p["n_q"], p["n_k"]),
        (p["B"], p["h"], p["n_q"], p["n_k"]),
    ),
    wrong=(
        Wrong("output-follows-keys", lambda p: (p["B"], p["n_k"], p["d_model"]), "output"),
        Wrong("heads-not-merged", lambda p: (p["B"], p["h"], p["n_q"], d_k(p)), "output"),
        Wrong("heads-averaged-not-concatenated", lambda p: (p["B"], p["n_q"], d_k(p)), "output"),
        Wrong("queries-and-keys-swapped", lambda p: (p["B"], p["n_k"], p["n_q"]), "averaged"),
        Wrong("lengths-taken-from-query", lambda p: (p["B"], p["n_q"], p["n_q"]), "averaged"),
        Wrong("weights-averaged-over-heads", lambda p: (p["B"], p["h"], p["n_q"], p["n_k"]), "averaged"),
        Wrong("queries-and-keys-swapped", lambda p: (p["B"], p["h"], p["n_k"], p["n_q"]), "per_head"),
        Wrong("lengths-taken-from-query", lambda p: (p["B"], p["h"], p["n_q"], p["n_q"]), "per_head"),
        Wrong("weights-averaged-over-heads", lambda p: (p["B"], p["n_q"], p["n_k"]), "per_head"),
    ),
    texts=texts("q10"),
)
