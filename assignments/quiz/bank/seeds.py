"""Questions about comparing models over seeds: differences, their errors, shares of success, drops."""

import random
import statistics
from typing import Any

from headcheck.quiz.kinds import Choice, Number, Parts
from headcheck.quiz.question import Params, Question, Section, Wrong, wrong_options

from assignments.quiz.bank.draws import texts

SOLVED = 1.0


def stuck_seeds(rng: random.Random) -> dict[str, Any]:
    """Draw four seeds of one head, one or two of them stuck near 0.4; the larger model solves all four.

    With three stuck seeds the difference would exceed two standard errors, and the question would have no point.
    """
    stuck = [round(rng.uniform(0.36, 0.46), 3) for _seed in range(rng.choice((1, 2)))]
    few = stuck + [SOLVED] * (4 - len(stuck))
    rng.shuffle(few)
    return {"few": few, "many": [SOLVED] * 4, "h": rng.choice((4, 8))}


def paired(p: Params) -> tuple[float, float]:
    """Compute the mean paired difference over the seeds and its standard error."""
    differences = [many - few for many, few in zip(p["many"], p["few"], strict=True)]
    return statistics.fmean(differences), statistics.stdev(differences) / len(
        differences
    ) ** 0.5


def seed_numbers(p: Params) -> dict[str, Any]:
    """Compute what the texts of question 12 show."""
    difference, error = paired(p)
    return {
        "accuracies_few": ", ".join(f"{accuracy:.3f}" for accuracy in p["few"]),
        "accuracies_many": ", ".join(f"{accuracy:.3f}" for accuracy in p["many"]),
        "solved_few": sum(accuracy > 0.95 for accuracy in p["few"]),
        "solved_many": sum(accuracy > 0.95 for accuracy in p["many"]),
        "seeds": len(p["few"]),
        "difference": f"{difference:+.4f}",
        "error": f"{error:.4f}",
        "threshold": f"{2 * round(error, 4):.4f}",
    }


q12 = Question(
    id="q12",
    topic="experiments",
    kind=Parts(
        {
            "claim": Choice(
                ("not-shown", "counts-decide", "no-effect-shown", "equal-cost-equal-result"),
                "claim",
            ),
            "reason": Choice(
                ("test-set-too-small", "pairing-widens", "two-peaks", "training-unfinished"),
                "reason",
            ),
        }
    ),
    lesson={"few": [0.444, 1.0, 0.401, 1.0], "many": [1.0, 1.0, 1.0, 1.0], "h": 4},
    generate=stuck_seeds,
    answer=lambda p: ("not-shown", "two-peaks"),
    wrong=(
        *wrong_options(
            "counts-decide", "no-effect-shown", "equal-cost-equal-result", part="claim"
        ),
        *wrong_options(
            "test-set-too-small", "pairing-widens", "training-unfinished", part="reason"
        ),
    ),
    texts=texts("q12"),
    read=Section("head_count", "3. A better question: how often is it solved?"),
    derived=seed_numbers,
    mistakes=(
        "significant-by-counting",
        "significant-by-any-difference",
        "insignificant-named",
        "stuck-without-solved",
        "best-by-one-seed",
        "one-best-of-several",
    ),
)


def paired_scatter(rng: random.Random) -> dict[str, Any]:
    """Draw a square number of seeds and the standard deviation of their differences, so that the root is whole."""
    root = rng.choice((2, 3, 4, 5))
    return {"seeds": root * root, "sd": root * rng.choice((1, 2, 3))}


def standard_error(p: Params) -> float:
    """Compute the standard error of the mean of the differences."""
    return float(p["sd"] / p["seeds"] ** 0.5)


q37 = Question(
    id="q37",
    topic="experiments",
    kind=Parts({"error": Number(), "limit": Number()}),
    lesson={"seeds": 4, "sd": 6},
    generate=paired_scatter,
    answer=lambda p: (standard_error(p), 2 * standard_error(p)),
    wrong=(
        Wrong("sd-instead-of-se", lambda p: p["sd"], "error"),
        Wrong("se-divided-by-n", lambda p: p["sd"] / p["seeds"], "error"),
        Wrong("one-se-rule", standard_error, "limit"),
        Wrong("sd-instead-of-se", lambda p: 2 * p["sd"], "limit"),
        Wrong("se-divided-by-n", lambda p: 2 * p["sd"] / p["seeds"], "limit"),
    ),
    texts=texts("q37"),
    read=Section("head_count", "2. The paired difference"),
    derived=lambda p: {"root": int(p["seeds"] ** 0.5)},
    mistakes=(
        "population-sd",
        "two-se-wrong-side",
        "significance-of-gains-only",
        "significant-gains-only",
        "significant-by-any-difference",
    ),
)


def around(rng: random.Random, mean: int) -> list[int]:
    """Draw four whole numbers with a given mean, at least 1 when the mean is at least 5."""
    near, far = rng.sample((1, 2, 3, 4), 2)
    numbers = [mean - far, mean + far, mean - near, mean + near]
    rng.shuffle(numbers)
    return numbers


def two_lists(rng: random.Random) -> dict[str, Any]:
    """Draw results of two models over the same four seeds, in percent, and with them a whole mean difference."""
    few = [rng.randrange(40, 80, 5) for _seed in range(4)]
    gains = around(rng, rng.randrange(5, 12))
    return {"few": few, "many": [a + gain for a, gain in zip(few, gains, strict=True)]}


def mean_gain(p: Params) -> float:
    """Compute the mean of the differences, seed by seed."""
    return statistics.fmean(many - few for few, many in zip(p["few"], p["many"], strict=True))


q38 = Question(
    id="q38",
    topic="experiments",
    kind=Parts(
        {
            "mean": Number(),
            "reason": Choice(
                (
                    "unpaired-standard-error",
                    "shared-part-drops-out",
                    "fewer-runs-needed",
                    "seeds-become-equal",
                ),
                "reason",
            ),
        }
    ),
    lesson={"few": [60, 45, 70, 55], "many": [64, 57, 75, 66]},
    generate=two_lists,
    answer=lambda p: (mean_gain(p), "shared-part-drops-out"),
    wrong=(
        Wrong("difference-reversed", lambda p: -mean_gain(p), "mean"),
        Wrong("differences-added-up", lambda p: 4 * mean_gain(p), "mean"),
        *wrong_options(
            "unpaired-standard-error", "fewer-runs-needed", "seeds-become-equal", part="reason"
        ),
    ),
    texts=texts("q38"),
    read=Section("head_count", "2. The paired difference"),
    derived=lambda p: {
        "results_few": ", ".join(map(str, p["few"])),
        "results_many": ", ".join(map(str, p["many"])),
        "gains": ", ".join(
            str(many - few) for few, many in zip(p["few"], p["many"], strict=True)
        ),
        "sum": sum(p["many"]) - sum(p["few"]),
    },
    mistakes=("drop-from-the-mean", "drop-of-another-seed"),
)

Z = 1.96


def wilson_from(p: Params) -> float:
    """Compute the lower end of Wilson's interval when every seed solved the task."""
    return float(p["seeds"] / (p["seeds"] + Z * Z))


q39 = Question(
    id="q39",
    topic="experiments",
    kind=Number(),
    lesson={"seeds": 4},
    generate=lambda rng: {"seeds": rng.choice((5, 6, 8, 10, 12, 16, 20))},
    answer=wilson_from,
    wrong=(
        Wrong("wald-interval", lambda p: 1.0),
        Wrong("wilson-around-the-share", lambda p: 1 - (1 - wilson_from(p)) / 2),
        Wrong("wilson-with-another-z", lambda p: p["seeds"] / (p["seeds"] + Z)),
    ),
    texts=texts("q39"),
    read=Section("head_count", "3. A better question: how often is it solved?"),
    derived=lambda p: {"below": f"{p['seeds'] + Z * Z:.2f}", "end": f"{wilson_from(p):.2f}"},
    mistakes=(
        "accuracy-instead-of-solved-seeds",
        "solved-too-easily",
        "significant-by-counting",
    ),
)

FULL = 100
"""Accuracy of the whole model in question 40, in percent."""


def ablated_heads(rng: random.Random) -> dict[str, Any]:
    """Draw the results of one model without each of its four heads; the mean drop is whole and far below a half."""
    return {"ablated": [FULL - drop for drop in around(rng, rng.randrange(5, 30))]}


def drops(p: Params) -> list[int]:
    """Compute how far the result falls without each head."""
    return [FULL - each for each in p["ablated"]]


q40 = Question(
    id="q40",
    topic="experiments",
    kind=Parts({"mean": Number(), "largest": Number()}),
    lesson={"ablated": [81, 77, 82, 76]},
    generate=ablated_heads,
    answer=lambda p: (statistics.fmean(drops(p)), max(drops(p))),
    wrong=(
        Wrong("accuracy-instead-of-drop", lambda p: statistics.fmean(p["ablated"]), "mean"),
        Wrong("drops-added-up", lambda p: sum(drops(p)), "mean"),
        Wrong("drop-with-the-wrong-sign", lambda p: -statistics.fmean(drops(p)), "mean"),
        Wrong("accuracy-instead-of-drop", lambda p: max(p["ablated"]), "largest"),
        Wrong("smallest-drop", lambda p: min(drops(p)), "largest"),
        Wrong("largest-of-the-means", lambda p: statistics.fmean(drops(p)), "largest"),
    ),
    texts=texts("q40"),
    read=Section("head_count", "4. How much does one head matter?"),
    derived=lambda p: {
        "full": FULL,
        "results": ", ".join(map(str, p["ablated"])),
        "drops": ", ".join(map(str, drops(p))),
        "sum": sum(drops(p)),
    },
    mistakes=(
        "drop-as-a-ratio",
        "drop-of-another-seed",
        "ablation-of-another-head",
        "ablation-of-all-others",
    ),
)
