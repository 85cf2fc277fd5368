"""Questions about masks: what True means, and to whom; axes, order, and what a mask leaves behind."""

import random
from typing import Any

from headcheck.quiz.kinds import Choice, Integer, Number, Parts, Shape
from headcheck.quiz.question import Params, Question, Section, Wrong, wrong_options

from assignments.quiz.bank.draws import LENGTHS, cross_sizes, input_sizes, texts


def batch_sizes(rng: random.Random) -> dict[str, Any]:
    """Draw the sizes of a padded batch."""
    sizes = input_sizes(rng)
    return {"B": sizes["B"], "n": sizes["n"]}


q09 = Question(
    id="q09",
    topic="masks",
    kind=Choice(
        ("pad-mask-inverted", "mask-added-as-zero-one", "mask-on-query-rows", "ignored-as-key")
    ),
    lesson={"B": 4, "n": 10},
    generate=batch_sizes,
    answer=lambda p: "ignored-as-key",
    wrong=wrong_options("pad-mask-inverted", "mask-added-as-zero-one", "mask-on-query-rows"),
    texts=texts("q09"),
    read=Section("torch_module", "3. Two kinds of masks"),
    mistakes=(
        "mask-ignored",
        "mask-always-used",
        "mask-inverted-with-wrong-operator",
        "mask-inverted-and-multiplied",
        "padding-off-by-one",
        "mask-of-integers",
        "mask-in-float",
        "alone-with-its-padding",
        "padding-rows-compared",
    ),
)


def row_of_keys(rng: random.Random) -> dict[str, Any]:
    """Draw a row of a mask; its length is odd, so that True and False never stand there equally often."""
    n = rng.choice((5, 7, 9))
    return {"n": n, "true": rng.randrange(1, n)}


q20 = Question(
    id="q20",
    topic="masks",
    kind=Integer(),
    lesson={"n": 7, "true": 4},
    generate=row_of_keys,
    answer=lambda p: p["true"],
    wrong=(
        Wrong("sdpa-mask-polarity", lambda p: p["n"] - p["true"]),
        Wrong("mask-ignored", lambda p: p["n"]),
    ),
    texts=texts("q20"),
    read=Section("torch_module", "4. The function"),
    derived=lambda p: {
        "row": ", ".join(["True"] * p["true"] + ["False"] * (p["n"] - p["true"])),
        "false": p["n"] - p["true"],
    },
    mistakes=("pad-mask-inverted", "causal-mask-uninvited"),
)

q21 = Question(
    id="q21",
    topic="masks",
    kind=Choice(
        ("mask-over-batch-as-heads", "key-axis-last", "mask-missing-axes", "mask-on-query-rows")
    ),
    lesson={"B": 3, "n": 7, "h": 4, "d_model": 32},
    generate=input_sizes,
    answer=lambda p: "key-axis-last",
    wrong=wrong_options("mask-over-batch-as-heads", "mask-missing-axes", "mask-on-query-rows"),
    texts=texts("q21"),
    read=Section("torch_module", "4. The function"),
    mistakes=(
        "mask-on-queries-too",
        "mask-only-pairs-of-padding",
        "mask-of-one-sentence",
        "mask-for-one-head",
    ),
)

q22 = Question(
    id="q22",
    topic="masks",
    kind=Shape(("B * h", "n_q", "n_k")),
    lesson={"B": 3, "n_q": 5, "n_k": 7, "h": 4, "d_model": 32},
    generate=cross_sizes,
    answer=lambda p: (p["B"] * p["h"], p["n_q"], p["n_k"]),
    wrong=(
        Wrong("mask-without-heads", lambda p: (p["B"], p["n_q"], p["n_k"])),
        Wrong("mask-with-four-axes", lambda p: (p["B"], p["h"], p["n_q"], p["n_k"])),
        Wrong("queries-and-keys-swapped", lambda p: (p["B"] * p["h"], p["n_k"], p["n_q"])),
        Wrong("mask-of-one-sentence", lambda p: (p["h"], p["n_q"], p["n_k"])),
        Wrong("padding-mask-passed-as-attn-mask", lambda p: (p["B"], p["n_k"])),
    ),
    texts=texts("q22"),
    read=Section("torch_module", "3. Two kinds of masks"),
    mistakes=("mask-missing-axes", "mask-for-one-head"),
)


def place_in_a_stack(rng: random.Random) -> dict[str, Any]:
    """Draw a sentence b and a head i; B > 2 h makes sure that the two orders put them at different places."""
    h = rng.choice((2, 4))
    return {
        "B": rng.choice((9, 10, 11, 12)),
        "h": h,
        "b": rng.choice((1, 2)),
        "i": rng.randrange(1, h),
    }


q23 = Question(
    id="q23",
    topic="masks",
    kind=Integer(),
    lesson={"B": 10, "h": 4, "b": 2, "i": 1},
    generate=place_in_a_stack,
    answer=lambda p: p["b"] * p["h"] + p["i"],
    wrong=(
        Wrong("mask-repeated-in-wrong-order", lambda p: p["i"] * p["B"] + p["b"]),
        Wrong("head-index-off-by-one", lambda p: p["b"] * p["h"] + p["i"] + 1),
        Wrong("mask-without-heads", lambda p: p["b"]),
    ),
    texts=texts("q23"),
    read=Section("torch_module", "3. Two kinds of masks"),
    derived=lambda p: {"tables": p["B"] * p["h"], "before": p["b"] * p["h"]},
    mistakes=("fold-undone-in-wrong-order", "mask-over-batch-as-heads"),
)


def padded_row(rng: random.Random) -> dict[str, Any]:
    """Draw a number of keys, fewer than half of them padding."""
    n = rng.choice((5, 10, 20))
    return {"n": n, "padded": rng.randrange(1, (n + 1) // 2)}


q24 = Question(
    id="q24",
    topic="masks",
    kind=Number(),
    lesson={"n": 10, "padded": 3},
    generate=padded_row,
    answer=lambda p: (p["n"] - p["padded"]) / p["n"],
    wrong=(
        Wrong("mask-after-softmax", lambda p: 1.0),
        Wrong("share-of-the-padding", lambda p: p["padded"] / p["n"]),
        Wrong("everything-hidden", lambda p: 0.0),
    ),
    texts=texts("q24"),
    read=Section("from_scratch", "3. Attention, in every head at once"),
    derived=lambda p: {"one": f"{1 / p['n']:g}", "left": p["n"] - p["padded"]},
    mistakes=(
        "mask-only-on-values",
        "mask-on-the-output",
        "weights-before-the-mask",
        "context-from-unmasked-weights",
        "mask-result-discarded",
    ),
)


def growing_lengths(rng: random.Random) -> dict[str, Any]:
    """Draw fewer queries than keys."""
    n_q, n_k = sorted(rng.sample(LENGTHS, 2))
    return {"n_q": n_q, "n_k": n_k}


q25 = Question(
    id="q25",
    topic="masks",
    kind=Parts({"first": Integer(), "last": Integer()}),
    lesson={"n_q": 3, "n_k": 7},
    generate=growing_lengths,
    answer=lambda p: (1, p["n_q"]),
    wrong=(
        Wrong("causal-aligned-to-the-end", lambda p: p["n_k"] - p["n_q"] + 1, "first"),
        Wrong("causal-aligned-to-the-end", lambda p: p["n_k"], "last"),
        Wrong("causal-without-itself", lambda p: 0, "first"),
        Wrong("causal-without-itself", lambda p: p["n_q"] - 1, "last"),
    ),
    texts=texts("q25"),
    read=Section("torch_module", "4. The function"),
    derived=lambda p: {"last": p["n_q"] - 1},
    mistakes=("causal-mask-uninvited",),
)

q26 = Question(
    id="q26",
    topic="masks",
    kind=Parts(
        {
            "module": Choice(
                ("module-gives-zeros", "module-gives-mean", "nan", "module-complains"), "module"
            ),
            "function": Choice(
                ("zeros", "function-gives-nan", "function-complains", "function-gives-mean"),
                "function",
            ),
        }
    ),
    lesson={"B": 4, "n": 10},
    generate=batch_sizes,
    answer=lambda p: ("nan", "zeros"),
    wrong=(
        *wrong_options(
            "module-gives-zeros", "module-gives-mean", "module-complains", part="module"
        ),
        *wrong_options(
            "function-gives-nan", "function-complains", "function-gives-mean", part="function"
        ),
    ),
    texts=texts("q26"),
    read=Section("torch_module", "3. Two kinds of masks"),
    derived=lambda p: {"last": p["B"] - 1},
)

FILLS = ("1e-9", "0.0")
"""What people write when they mean a very negative number."""


def filled_row(rng: random.Random) -> dict[str, Any]:
    """Draw a row with two padded keys or more, and the number that padding gets for a score."""
    n = rng.choice((5, 10, 20))
    return {"n": n, "padded": rng.randrange(2, (n + 1) // 2), "fill": rng.choice(FILLS)}


def padding_share(p: Params) -> float:
    """Compute the share of padding among equal weights."""
    return float(p["padded"] / p["n"])


q47 = Question(
    id="q47",
    topic="masks",
    kind=Number(),
    lesson={"n": 10, "padded": 3, "fill": "1e-9"},
    generate=filled_row,
    answer=padding_share,
    wrong=(
        Wrong("mask-fill-1e-9", lambda p: 0.0),
        Wrong("one-padded-key-only", lambda p: 1 / p["n"]),
        Wrong("share-of-the-tokens", lambda p: 1 - padding_share(p)),
    ),
    texts=texts("q47"),
    read=Section("from_scratch", "3. Attention, in every head at once"),
    mistakes=(
        "mask-multiplied-into-scores",
        "mask-inverted-and-multiplied",
        "mask-fill-too-small",
        "mask-fill-positive",
        "mask-added-as-zero-one",
        "mask-method-does-not-exist",
    ),
)
