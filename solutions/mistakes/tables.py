"""Mistakes in what a table of results says: drops without a head, best, split and significant h."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import mean
from typing import Any

import torch
from headcheck.diagnosis.bank import Mistake
from headcheck.i18n import N_

from solutions import experiments
from solutions.experiments import SOLVED, STUCK

Way = Callable[..., Any]


def _drops(make: Callable[[torch.Tensor, torch.Tensor], tuple[torch.Tensor, torch.Tensor]]) -> Way:
    return lambda full, ablated: tuple(part.item() for part in make(full, ablated))


def _both(drops: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return drops.mean(), drops.max()


def _means(drops: torch.Tensor, dim: int) -> tuple[torch.Tensor, torch.Tensor]:
    return drops.mean(), drops.mean(dim=dim).max()


def _summed(drops: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return drops.sum(dim=1).mean(), drops.max()


def _concluding(
    best: Callable[[Sequence[int], Sequence[Sequence[float]]], list[int]] | None = None,
    is_split: Callable[[Sequence[float]], bool] = lambda row: min(row) < STUCK and max(row) > SOLVED,
    differs: Callable[[Sequence[float], Sequence[float]], bool] = lambda a, b: experiments.paired_difference(a, b)[2],
    start: int = 1,
) -> Way:
    """Read a table with one of its three questions answered in another way."""

    def way(heads: Sequence[int], results: Sequence[Sequence[float]]) -> tuple[list[int], list[int], list[int]]:
        right = experiments.conclusion(heads, results)
        return (
            best(heads, results) if best else right[0],
            [h for h, row in zip(heads, results, strict=True) if is_split(row)],
            [h for h, row in list(zip(heads, results, strict=True))[start:] if differs(results[0], row)],
        )

    return way


def _best_by(value: Callable[[Sequence[float]], float]) -> Way:
    def best(heads: Sequence[int], results: Sequence[Sequence[float]]) -> list[int]:
        values = [value(row) for row in results]
        return [h for h, x in zip(heads, values, strict=True) if x >= max(values) - 1e-6]

    return best


def _first_best(heads: Sequence[int], results: Sequence[Sequence[float]]) -> list[int]:
    means = [mean(row) for row in results]
    return [heads[means.index(max(means))]]


def _solves_more(a: Sequence[float], b: Sequence[float]) -> bool:
    return sum(x > SOLVED for x in b) > sum(x > SOLVED for x in a)


FURTHER: dict[str, dict[str, tuple[Way, ...]]] = {}
"""Known mistakes of other modules -> task -> ways to make them here."""

MISTAKES = (
    Mistake(
        id="accuracy-instead-of-drop",
        name=N_("these are the results without a head, not the drops"),
        symptom=N_("Large numbers where nothing is lost."),
        explanation=N_(
            "A drop is what is missing afterwards: the result of the whole model minus the one without the head."
        ),
        see=N_("Use ablated results equal to the full ones: the drop should be 0."),
        question=N_("Where is `full` used in your function?"),
        wrong={"redundancy": _drops(lambda full, ablated: _both(ablated))},
    ),
    Mistake(
        id="drop-with-the-wrong-sign",
        name=N_("the drops have the wrong sign"),
        symptom=N_("A negative mean; the 'largest' drop is the smallest."),
        explanation=N_("A drop is full minus ablated, so that a loss is positive."),
        see=N_("Use 1.0 and 0.2: the drop is 0.8."),
        question=N_("What is subtracted from what?"),
        wrong={"redundancy": _drops(lambda full, ablated: _both(ablated - full[:, None]))},
    ),
    Mistake(
        id="drop-as-a-ratio",
        name=N_("the drops are divided by the full result"),
        symptom=N_("Too large numbers for seeds that are stuck."),
        explanation=N_("The drop was asked for as a difference, in the same units as the results."),
        see=N_("Use 0.5 and 0.4: the drop is 0.1."),
        question=N_("Is there a division in your function?"),
        wrong={"redundancy": _drops(lambda full, ablated: _both(1 - ablated / full[:, None]))},
        also={"redundancy": [_drops(lambda full, ablated: _both(ablated / full[:, None]))]},
    ),
    Mistake(
        id="drop-from-the-mean",
        name=N_("drops are taken from the mean over all seeds, not from the same seed"),
        symptom=N_("Right mean, wrong largest drop."),
        explanation=N_(
            "A head of seed 1 was taken out of the model of seed 1. Its drop starts from that model's result."
        ),
        see=N_("Use one solved and one stuck seed."),
        question=N_("Which full result belongs to ablated[s, i]?"),
        wrong={"redundancy": _drops(lambda full, ablated: _both(full.mean() - ablated))},
        also={"redundancy": [_drops(lambda full, ablated: _both(full.max() - ablated))]},
    ),
    Mistake(
        id="drop-of-another-seed",
        name=N_("the full results lie along the heads, not along the seeds"),
        symptom=N_("An error about sizes, or wrong numbers with as many seeds as heads."),
        explanation=N_("full has one entry for each seed. To lie along the rows of (seeds, h) it needs a second axis."),
        see=N_("Print the shapes, with 2 seeds and 3 heads."),
        question=N_("What does full - ablated do with shapes (seeds,) and (seeds, h)?"),
        wrong={"redundancy": _drops(lambda full, ablated: _both(full - ablated))},
    ),
    Mistake(
        id="largest-of-the-means",
        name=N_("the largest drop is taken of means, not of single drops"),
        symptom=N_("Right mean, too small a largest drop."),
        explanation=N_("The largest single drop shows how bad it can get for one seed and one head. Means hide it."),
        see=N_("Use one drop of 0.8 among zeros."),
        question=N_("Over what was averaged before your maximum?"),
        wrong={"redundancy": _drops(lambda full, ablated: _means(full[:, None] - ablated, 0))},
        also={"redundancy": [_drops(lambda full, ablated: _means(full[:, None] - ablated, 1))]},
    ),
    Mistake(
        id="drops-added-up",
        name=N_("the drops of the heads are added up, not averaged"),
        symptom=N_("A mean that grows with the number of heads."),
        explanation=N_("The question is what one head costs. A sum over heads makes many heads look worse than few."),
        see=N_("Use equal drops of 0.1: their mean is 0.1."),
        question=N_("Over which axes do you average?"),
        wrong={"redundancy": _drops(lambda full, ablated: _summed(full[:, None] - ablated))},
    ),
    Mistake(
        id="one-best-of-several",
        name=N_("only one of several equally good h is named"),
        symptom=N_("One h where two share the highest mean."),
        explanation=N_(
            "argmax and max stop at the first of equals. Equal means are no reason to prefer the first one."
        ),
        see=N_("Use the lesson's table, in which h = 4 and h = 8 are equal."),
        question=N_("What does your function do with a second h of the same mean?"),
        wrong={"conclusion": _concluding(best=_first_best)},
    ),
    Mistake(
        id="best-by-one-seed",
        name=N_("the best h is chosen by a single seed, not by the mean"),
        symptom=N_("Every h with one lucky seed is best."),
        explanation=N_("The luckiest seed says what is possible, the mean what happens."),
        see=N_("Use the lesson's table: every h has a seed at 1.0."),
        question=N_("Which number of a row do you compare?"),
        wrong={"conclusion": _concluding(best=_best_by(max))},
        also={"conclusion": [_concluding(best=_best_by(lambda row: row[0]))]},
    ),
    Mistake(
        id="stuck-without-solved",
        name=N_("rows without a solved seed, or without a stuck one, count as split"),
        symptom=N_("Too many h are called split."),
        explanation=N_("Split means both: some seed above 0.95 and some other below 0.5."),
        see=N_("Use a row in which all seeds are solved, and one in which none is."),
        question=N_("Which two things must a split row have?"),
        wrong={"conclusion": _concluding(is_split=lambda row: max(row) > SOLVED)},
        also={
            "conclusion": [
                _concluding(is_split=lambda row: min(row) < STUCK),
                _concluding(is_split=lambda row: min(row) < SOLVED),
                _concluding(is_split=lambda row: min(row) < SOLVED or max(row) > SOLVED),
            ]
        },
    ),
    Mistake(
        id="significant-by-counting",
        name=N_("more solved seeds are taken for a significant difference"),
        symptom=N_("Four of four against two of four counts as significant."),
        explanation=N_(
            "With four seeds, two more can be luck. The rule of task 2 asks how far the mean difference is from 0, "
            "measured in its own error."
        ),
        see=N_("Use the lesson's table: nothing should be significant."),
        question=N_("Where do you use paired_difference?"),
        wrong={"conclusion": _concluding(differs=_solves_more)},
    ),
    Mistake(
        id="significant-by-any-difference",
        name=N_("every difference of the means counts as significant"),
        symptom=N_("Nearly all h are significant."),
        explanation=N_("Means of a few seeds always differ a little. The question is whether by more than 2 SE."),
        see=N_("Use the lesson's table: nothing should be significant."),
        question=N_("Which of the three values of paired_difference do you use?"),
        wrong={"conclusion": _concluding(differs=lambda a, b: mean(a) != mean(b))},
        also={"conclusion": [_concluding(differs=lambda a, b: mean(b) > mean(a))]},
    ),
    Mistake(
        id="insignificant-named",
        name=N_("those that do not differ are named, not those that do"),
        symptom=N_("The opposite list."),
        explanation=N_("The third list holds the h whose difference from the first is further than 2 SE from 0."),
        see=N_("Use the lesson's table: the list should be empty."),
        question=N_("For which h do you append to the third list?"),
        wrong={"conclusion": _concluding(differs=lambda a, b: not experiments.paired_difference(a, b)[2])},
        also={"conclusion": [_concluding(differs=lambda a, b: not experiments.paired_difference(a, b)[2], start=0)]},
    ),
    Mistake(
        id="significant-gains-only",
        name=N_("an h that is clearly worse than the first is not called different"),
        symptom=N_("Losses are missing in the third list."),
        explanation=N_("A significant loss is a difference too. The rule looks in both directions."),
        see=N_("Use a row that is 0.2 below the first in every seed."),
        question=N_("What does your third list say about a clearly worse h?"),
        wrong={
            "conclusion": _concluding(differs=lambda a, b: experiments.paired_difference(a, b)[2] and mean(b) > mean(a))
        },
    ),
)
