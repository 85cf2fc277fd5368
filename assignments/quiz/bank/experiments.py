"""Questions about what an experiment shows: switching a head off, and comparing numbers of heads over seeds."""

import random
import statistics
from typing import Any

from headcheck.quiz.kinds import Choice, Parts
from headcheck.quiz.question import Params, Question, wrong_options

from assignments.quiz.bank.draws import texts

TOKENS = 8
"""Different tokens in the two-target task, so chance is 1/8."""

ABLATIONS = (
    {"seed": 0, "head": 0, "lost": "previous", "lost_accuracy": "0.128", "kept": "first", "kept_accuracy": "1.000"},
    {"seed": 0, "head": 1, "lost": "first", "lost_accuracy": "0.176", "kept": "previous", "kept_accuracy": "1.000"},
    {"seed": 1, "head": 0, "lost": "first", "lost_accuracy": "0.170", "kept": "previous", "kept_accuracy": "1.000"},
    {"seed": 1, "head": 1, "lost": "previous", "lost_accuracy": "0.132", "kept": "first", "kept_accuracy": "1.000"},
)
"""Measured in the lesson: two trained models, one head at a time switched off."""

q11 = Question(
    id="q11",
    topic="ablation",
    kind=Parts(
        {
            "claim": Choice(("head-looks-there", "head-needed", "other-head-idle", "true-of-all-models"), "claim"),
            "reason": Choice(
                ("weights-prove-use", "accuracy-must-fall-anyway", "chance-means-all-lost", "only-head-changed"),
                "reason",
            ),
        }
    ),
    lesson=ABLATIONS[0],
    generate=lambda rng: rng.choice(ABLATIONS),
    answer=lambda p: ("head-needed", "only-head-changed"),
    wrong=(
        *wrong_options("head-looks-there", "other-head-idle", "true-of-all-models", part="claim"),
        *wrong_options("weights-prove-use", "accuracy-must-fall-anyway", "chance-means-all-lost", part="reason"),
    ),
    texts=texts("q11"),
    derived=lambda p: {"tokens": TOKENS, "chance": 1 / TOKENS},
)

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
    return statistics.fmean(differences), statistics.stdev(differences) / len(differences) ** 0.5


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
    topic="seeds",
    kind=Parts(
        {
            "claim": Choice(("not-shown", "counts-decide", "no-effect-shown", "equal-cost-equal-result"), "claim"),
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
        *wrong_options("counts-decide", "no-effect-shown", "equal-cost-equal-result", part="claim"),
        *wrong_options("test-set-too-small", "pairing-widens", "training-unfinished", part="reason"),
    ),
    texts=texts("q12"),
    derived=seed_numbers,
)
