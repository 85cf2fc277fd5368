"""Mistakes in the statistics of seeds: runs, paired differences, shares of solved seeds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import mean, pstdev, stdev
from typing import Any

from headcheck.diagnosis.bank import Mistake
from headcheck.i18n import N_

from solutions.experiments import SOLVED, STUCK, Z

Way = Callable[..., Any]


def _standard_error(differences: Sequence[float]) -> float:
    return stdev(differences) / math.sqrt(len(differences))


def _paired(
    error: Callable[[Sequence[float]], float] = _standard_error,
    rule: Callable[[float, float], bool] = lambda middle, se: abs(middle) > 2 * se,
    sign: int = 1,
) -> Way:
    """Compare with another error, another rule or another sign."""

    def way(a: Sequence[float], b: Sequence[float]) -> tuple[float, float, bool]:
        differences = [sign * (y - x) for x, y in zip(a, b, strict=True)]
        return mean(differences), error(differences), rule(mean(differences), error(differences))

    return way


def _unpaired(a: Sequence[float], b: Sequence[float]) -> tuple[float, float, bool]:
    se = math.sqrt(stdev(a) ** 2 / len(a) + stdev(b) ** 2 / len(b))
    return mean(b) - mean(a), se, abs(mean(b) - mean(a)) > 2 * se


def _share(
    interval: Callable[[float, int], tuple[float, float]] | None = None,
    solved: Callable[[float], bool] = lambda result: result > SOLVED,
    share: Callable[[Sequence[float], int], float] = lambda results, count: count / len(results),
    z: float = Z,
) -> Way:
    """Give a share with another interval, another idea of solved, another share or another z."""

    def way(results: Sequence[float]) -> tuple[int, float, float, float]:
        count = sum(map(solved, results))
        p = share(results, count)
        low, high = interval(p, len(results)) if interval else _wilson(p, len(results), z)
        return count, p, low, high

    return way


def _wilson(p: float, n: int, z: float = Z) -> tuple[float, float]:
    centre = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    return centre - half, centre + half


def _wald(p: float, n: int) -> tuple[float, float]:
    half = Z * math.sqrt(p * (1 - p) / n)
    return p - half, p + half


def _wald_cut(p: float, n: int) -> tuple[float, float]:
    low, high = _wald(p, n)
    return max(low, 0.0), min(high, 1.0)


def _around_the_share(p: float, n: int) -> tuple[float, float]:
    low, high = _wilson(p, n)
    return p - (high - low) / 2, p + (high - low) / 2


FURTHER: dict[str, dict[str, tuple[Way, ...]]] = {}
"""Known mistakes of other modules -> task -> ways to make them here."""

BOTH_RIGHT = "A hidden test computes what known slips make of the same answers and compares."

MISTAKES = (
    Mistake(
        id="accuracies-averaged",
        name=N_("the two accuracies are averaged instead of asking for both at once"),
        symptom=N_("A model that knows one answer seems half as good as one that knows both."),
        explanation=N_("A position counts when both of its answers are right. Join the two with & before you average."),
        see=N_("Use answers that are right at different positions: nothing should be left."),
        question=N_("Where in your function do the two answers of one position meet?"),
        probe=BOTH_RIGHT,
    ),
    Mistake(
        id="accuracies-multiplied",
        name=N_("the two accuracies are multiplied"),
        symptom=N_("Near the right number, but not equal to it."),
        explanation=N_(
            "The product would be right if both answers failed independently. Positions tell how it really is."
        ),
        see=N_("Use answers that are right at the same positions."),
        question=N_("Where in your function do the two answers of one position meet?"),
        probe=BOTH_RIGHT,
    ),
    Mistake(
        id="either-answer-counts",
        name=N_("a position counts when one of its answers is right"),
        symptom=N_("Too large numbers."),
        explanation=N_("Both answers have to be right: & and not |."),
        see=N_("Use answers that are right at different positions: nothing should be left."),
        question=N_("Which operator joins your two conditions?"),
        probe=BOTH_RIGHT,
    ),
    Mistake(
        id="one-answer-counts",
        name=N_("only one of the two answers is looked at"),
        symptom=N_("The accuracy of one answer."),
        explanation=N_("A model that only knows what stood first has not solved the task."),
        see=N_("Make one of the answers wrong everywhere."),
        question=N_("Where does the other answer enter your function?"),
        probe=BOTH_RIGHT,
    ),
    Mistake(
        id="number-of-heads-ignored",
        name=N_("the model has another number of heads than was asked for"),
        symptom=N_("All h give the same results."),
        explanation=N_("The argument h must reach the model, or the experiment compares a model with itself."),
        see=N_("Print the shape of the weights."),
        question=N_("Where does h go in run_seed?"),
        probe="A hidden test looks at the shape of a trained model's weights.",
    ),
    Mistake(
        id="population-sd",
        name=N_("the standard deviation divides by n, not by n - 1"),
        symptom=N_("An SE that is too small: by a factor of 0.87 for four seeds."),
        explanation=N_(
            "The mean was computed from the same few numbers and lies too near to them. Dividing by n - 1 makes up for "
            "it. numpy.std divides by n unless told ddof=1."
        ),
        see=N_("Compute the SD of 1, 2 and 3: it should be 1."),
        question=N_("By what does your standard deviation divide?"),
        wrong={"paired_difference": _paired(lambda d: pstdev(d) / math.sqrt(len(d)))},
        source="https://numpy.org/doc/stable/reference/generated/numpy.std.html",
    ),
    Mistake(
        id="unpaired-standard-error",
        name=N_("the scatter of both lists is added, as if the runs were not paired"),
        symptom=N_("A much larger SE; steady gains go unseen."),
        explanation=N_(
            "Both settings ran with the same seeds. What a seed does to both drops out when differences are taken "
            "first; adding two variances puts it back."
        ),
        see=N_("Use b = a + 1 for widely scattered a: the SE should be 0."),
        question=N_("Do you take differences before the standard deviation, or after?"),
        wrong={"paired_difference": _unpaired},
    ),
    Mistake(
        id="sd-instead-of-se",
        name=N_("this is the standard deviation, not the standard error"),
        symptom=N_("Too large by the square root of the number of seeds."),
        explanation=N_("SD says how much single differences scatter. Their mean is known better: SD / sqrt(n)."),
        see=N_("Copy all seeds twice: SE should shrink, SD should not."),
        question=N_("Where does the number of seeds enter your SE?"),
        wrong={"paired_difference": _paired(stdev)},
    ),
    Mistake(
        id="se-divided-by-n",
        name=N_("the standard deviation is divided by n, not by its square root"),
        symptom=N_("An SE that is far too small."),
        explanation=N_("The error of a mean shrinks with the square root of n: four times the seeds halve it."),
        see=N_("Compute it for 1, 2 and 3: SD is 1 and SE is 0.577."),
        question=N_("What is SD divided by?"),
        wrong={"paired_difference": _paired(lambda d: stdev(d) / len(d))},
    ),
    Mistake(
        id="difference-reversed",
        name=N_("the difference is a - b, not b - a"),
        symptom=N_("The right number with the wrong sign."),
        explanation=N_("A gain of b over a should come out positive."),
        see=N_("Use b = a + 1."),
        question=N_("Which list is subtracted from which?"),
        wrong={"paired_difference": _paired(sign=-1)},
    ),
    Mistake(
        id="two-se-wrong-side",
        name=N_("the 2 SE rule stands the wrong way round"),
        symptom=N_("Small differences are significant, large ones are not."),
        explanation=N_("Further away from 0 than 2 SE means: the mean is larger than 2 SE, not smaller."),
        see=N_("Use b = a + 1: this should be significant."),
        question=N_("Which side of 2 SE should a clear difference be on?"),
        wrong={"paired_difference": _paired(rule=lambda middle, se: abs(middle) < 2 * se)},
        also={"paired_difference": [_paired(rule=lambda middle, se: middle < 2 * se)]},
    ),
    Mistake(
        id="significance-of-gains-only",
        name=N_("only gains can be significant, losses never"),
        symptom=N_("A clear loss is called not significant."),
        explanation=N_("The rule looks in both directions: take the absolute value of the mean."),
        see=N_("Exchange a and b: significant should stay what it is."),
        question=N_("What does your rule say about a mean of -1 with an SE of 0.1?"),
        wrong={"paired_difference": _paired(rule=lambda middle, se: middle > 2 * se)},
    ),
    Mistake(
        id="one-se-rule",
        name=N_("one standard error is taken for enough"),
        symptom=N_("Too many differences are significant."),
        explanation=N_(
            "A mean lies further than one SE from the truth about one time in three. Two SE were asked for."
        ),
        see=N_("Use a mean of 1.5 SE."),
        question=N_("How many SE does your rule ask for?"),
        wrong={"paired_difference": _paired(rule=lambda middle, se: abs(middle) > se)},
    ),
    Mistake(
        id="accuracy-instead-of-solved-seeds",
        name=N_("the share is the mean result, not the share of solved seeds"),
        symptom=N_("0.71 where two of four seeds are solved."),
        explanation=N_(
            "A seed is solved or not. The mean of two heaps describes a run that never happens; the share of solved "
            "seeds says how often the task is solved."
        ),
        see=N_("Use results of 0.4 and 1.0: the share is one half."),
        question=N_("Which number does a stuck seed add to your share?"),
        wrong={"success_share": _share(share=lambda results, count: mean(results))},
    ),
    Mistake(
        id="solved-too-easily",
        name=N_("seeds count as solved that are not above 0.95"),
        symptom=N_("Too many solved seeds."),
        explanation=N_("Solved means more than 0.95 of the positions. A seed at 0.93 is near, and not there."),
        see=N_("Use a result of 0.93."),
        question=N_("With which number do you compare a result?"),
        wrong={"success_share": _share(solved=lambda result: result > 0.9)},
        also={
            "success_share": [_share(solved=lambda result: result > STUCK), _share(solved=lambda result: result > 0.4)]
        },
    ),
    Mistake(
        id="wald-interval",
        name=N_("this is the plain interval p ± z sqrt(p (1 - p) / n), not Wilson's"),
        symptom=N_("No width when all seeds are solved; ends below 0 or above 1."),
        explanation=N_(
            "With few seeds the plain interval is too sure of itself: four of four would prove a share of exactly 1. "
            "Wilson's asks which true shares could have given what was seen."
        ),
        see=N_("Use four solved seeds of four."),
        question=N_("What is your interval when all seeds are solved?"),
        wrong={"success_share": _share(_wald)},
        also={"success_share": [_share(_wald_cut)]},
        source="https://en.wikipedia.org/wiki/Binomial_proportion_confidence_interval",
    ),
    Mistake(
        id="wilson-around-the-share",
        name=N_("the interval lies around the share, not around Wilson's centre"),
        symptom=N_("Right width; ends above 1 when all are solved."),
        explanation=N_("Wilson's centre is drawn a little towards one half, the more the fewer seeds there are."),
        see=N_("Use four solved seeds of four: no end should be above 1."),
        question=N_("What is the middle of your interval for four of four?"),
        wrong={"success_share": _share(_around_the_share)},
    ),
    Mistake(
        id="wilson-with-another-z",
        name=N_("the interval is made with another z than 1.96"),
        symptom=N_("Too narrow or too wide an interval."),
        explanation=N_("z says how sure the interval should be: 1.96 for 95 %. 1 gives 68 %, 1.645 gives 90 %."),
        see=N_("Use four of four: the lower end should be 0.51."),
        question=N_("Which z do you use?"),
        wrong={"success_share": _share(z=1.0)},
        also={"success_share": [_share(z=1.645), _share(z=2.576), _share(z=2.0)]},
    ),
)
