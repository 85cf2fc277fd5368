"""Questions about bugs in code: crash, wrong shape or silent, and which line is the wrong one."""

import random
from collections.abc import Callable
from typing import Any

from headcheck.quiz.kinds import Choice, Choices, Integer, Shape
from headcheck.quiz.question import Params, Question, Section, Wrong, wrong_options

from assignments.quiz.bank.draws import cross_sizes, d_k, head_width, input_sizes, texts

q42 = Question(
    id="q42",
    topic="bugs",
    kind=Choice(("crash-expected", "merge-no-transpose", "silent", "wrong-shape-expected")),
    lesson={"B": 3, "n": 7, "h": 4, "d_model": 32},
    generate=input_sizes,
    answer=lambda p: "silent",
    wrong=wrong_options("crash-expected", "merge-no-transpose", "wrong-shape-expected"),
    texts=texts("q42"),
    read=Section("bug_hunt", "2. Gluing the heads together"),
    derived=head_width,
    mistakes=(
        "merge-transposes-wrong-axes",
        "merge-view-without-contiguous",
        "merge-interleaves-d-h",
        "merge-heads-in-another-order",
        "fold-undone-in-wrong-order",
        "heads-joined-along-the-sequence",
    ),
)

LAYER = (
    "Q = W_q(x).view(B, n, h, d_k).transpose(1, 2)",
    "K = W_k(x).view(B, n, h, d_k).transpose(1, 2)",
    "V = W_v(x).view(B, n, h, d_k).transpose(1, 2)",
    "scores = Q @ K.transpose(-2, -1) / d_k ** 0.5",
    "weights = scores.softmax(dim=-1)",
    "context = weights @ V",
    "merged = context.transpose(1, 2).reshape(B, n, h * d_k)",
    "out = W_o(merged)",
)
"""A layer in eight right lines; x is (B, n, d_model)."""

LAYER_BUGS = {
    "split-only-key-wrong": (2, "K = W_k(x).view(B, h, n, d_k)"),
    "split-only-value-wrong": (3, "V = W_v(x).view(B, h, n, d_k)"),
    "scale-sqrt-d-model": (4, "scores = Q @ K.transpose(-2, -1) / (h * d_k) ** 0.5"),
    "softmax-over-queries": (5, "weights = scores.softmax(dim=-2)"),
    "merge-no-transpose": (7, "merged = context.reshape(B, n, h * d_k)"),
}
"""Mistake -> the line where it is made, counted from 1, and that line with it."""

MASKED = (
    "scores = Q @ K.transpose(-2, -1) / d_k ** 0.5",
    "hidden = pad[:, None, None, :]",
    'scores = scores.masked_fill(hidden, float("-inf"))',
    "weights = scores.softmax(dim=-1)",
    "context = weights @ V",
)
"""Masked attention in five right lines; pad is (B, n), True at padding."""

MASKED_BUGS = {
    "mask-on-query-rows": (2, "hidden = pad[:, None, :, None]"),
    "pad-mask-inverted": (2, "hidden = ~pad[:, None, None, :]"),
    "mask-result-discarded": (3, 'scores.masked_fill(hidden, float("-inf"))'),
    "mask-fill-1e-9": (3, "scores = scores.masked_fill(hidden, 1e-9)"),
    "softmax-over-heads": (4, "weights = scores.softmax(dim=1)"),
    "context-from-keys": (5, "context = weights @ K"),
}


def bugs_in(bugs: dict[str, tuple[int, str]]) -> Callable[[random.Random], dict[str, Any]]:
    """Make a draw of one of some bugs."""
    return lambda rng: {"bug": rng.choice(list(bugs))}


def listing(
    lines: tuple[str, ...], bugs: dict[str, tuple[int, str]]
) -> Callable[[Params], dict[str, Any]]:
    """Make what the texts show of some lines with a bug: all lines with their numbers, the wrong and the right one."""

    def shown(p: Params) -> dict[str, Any]:
        number, wrong = bugs[p["bug"]]
        code = [wrong if place == number else line for place, line in enumerate(lines, start=1)]
        numbered = "\n".join(f"{place}  {line}" for place, line in enumerate(code, start=1))
        return {"code": numbered, "wrong_line": wrong, "right_line": lines[number - 1]}

    return shown


q43 = Question(
    id="q43",
    topic="bugs",
    kind=Integer(),
    lesson={"bug": "merge-no-transpose"},
    generate=bugs_in(LAYER_BUGS),
    answer=lambda p: LAYER_BUGS[p["bug"]][0],
    wrong=(
        Wrong("right-split-suspected", lambda p: 1),
        Wrong("right-output-suspected", lambda p: len(LAYER)),
    ),
    texts=texts("q43"),
    read=Section("from_scratch", "4. The whole layer"),
    derived=listing(LAYER, LAYER_BUGS),
    mistakes=(
        *LAYER_BUGS,
        "scale-missing",
        "scale-inverted",
        "scale-twice",
        "scale-after-softmax",
        "scale-by-another-axis",
        "scale-not-the-square-root",
        "softmax-joint-over-queries-and-keys",
        "softmax-joint-over-heads-and-keys",
        "softmax-missing",
        "softmax-replaced",
        "softmax-logarithm",
        "softmax-twice",
        "scores-of-keys-by-queries",
        "scores-of-unit-vectors",
        "key-transpose-wrong-axes",
        "output-projection-missing",
        "double-output-projection",
        "another-layer-for-the-output",
        "input-projections-missing",
        "one-input-projection-missing",
        "projections-applied-twice",
    ),
)

q44 = Question(
    id="q44",
    topic="bugs",
    kind=Integer(),
    lesson={"bug": "mask-result-discarded"},
    generate=bugs_in(MASKED_BUGS),
    answer=lambda p: MASKED_BUGS[p["bug"]][0],
    wrong=(Wrong("right-scores-suspected", lambda p: 1),),
    texts=texts("q44"),
    read=Section("from_scratch", "3. Attention, in every head at once"),
    derived=listing(MASKED, MASKED_BUGS),
    mistakes=(
        *MASKED_BUGS,
        "mask-ignored",
        "context-from-queries",
        "context-from-scores",
        "context-from-transposed-weights",
        "context-from-one-values-head",
        "values-not-mixed",
        "weights-are-logits",
        "weights-before-the-mask",
        "context-from-unmasked-weights",
        "weights-not-returned",
        "output-not-returned",
    ),
)

HIDDEN_FROM_SHAPES = ("split-view-no-transpose", "scale-sqrt-d-model", "pad-mask-inverted")
SEEN_AT_ONCE = ("heads-averaged-not-concatenated", "float-head-dim")

q45 = Question(
    id="q45",
    topic="bugs",
    kind=Choices(
        (
            "scale-sqrt-d-model",
            "heads-averaged-not-concatenated",
            "split-view-no-transpose",
            "pad-mask-inverted",
            "float-head-dim",
        ),
    ),
    lesson={"B": 3, "n": 7, "h": 4, "d_model": 32},
    generate=input_sizes,
    answer=lambda p: HIDDEN_FROM_SHAPES,
    wrong=wrong_options(*HIDDEN_FROM_SHAPES, *SEEN_AT_ONCE),
    texts=texts("q45"),
    read=Section("bug_hunt", "What went wrong?"),
    derived=head_width,
    mistakes=(
        "residual-inside",
        "layer-norm-inside",
        "activation-on-projections",
        "activation-on-output",
        "output-bias-missing",
        "output-bias-per-head",
    ),
)


def sizes_that_do_not_fit(rng: random.Random) -> dict[str, Any]:
    """Draw a model width that the number of heads does not divide."""
    h = rng.choice((3, 4, 5, 8))
    return {"h": h, "d_model": h * rng.choice((3, 4, 6, 7)) + rng.randrange(1, h)}


q46 = Question(
    id="q46",
    topic="bugs",
    kind=Choice(
        (
            "no-divisibility-check",
            "refused-when-made",
            "last-head-narrower",
            "refused-when-called",
        )
    ),
    lesson={"h": 4, "d_model": 30},
    generate=sizes_that_do_not_fit,
    answer=lambda p: "refused-when-made",
    wrong=wrong_options("no-divisibility-check", "last-head-narrower", "refused-when-called"),
    texts=texts("q46"),
    read=Section("bug_hunt", "7. Six numbers for four heads"),
    derived=lambda p: {"whole": p["d_model"] // p["h"], "rest": p["d_model"] % p["h"]},
    mistakes=("refusal-not-raised", "divisibility-check-inverted", "float-head-dim"),
)

q48 = Question(
    id="q48",
    topic="bugs",
    kind=Shape(("B", "n_q", "d_k")),
    lesson={"B": 3, "n_q": 5, "n_k": 7, "h": 4, "d_model": 32},
    generate=cross_sizes,
    answer=lambda p: (p["B"], p["n_q"], d_k(p)),
    wrong=(
        Wrong("heads-averaged-not-concatenated", lambda p: (p["B"], p["n_q"], p["d_model"])),
        Wrong("axis-kept-by-mean", lambda p: (p["B"], 1, p["n_q"], d_k(p))),
        Wrong("mean-over-queries", lambda p: (p["B"], p["h"], d_k(p))),
        Wrong("lengths-taken-from-keys", lambda p: (p["B"], p["n_k"], d_k(p))),
    ),
    texts=texts("q48"),
    read=Section("bug_hunt", "2. Gluing the heads together"),
    derived=head_width,
    mistakes=("heads-not-joined", "merge-repeats-one-head", "context-from-averaged-weights"),
)
