"""Hidden tests of the number of heads: one test for each claim; models are judged by their answers to new data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from headcheck.grading.checks import WrongAnswer, compare, differences, task
from headcheck.i18n import _
from headcheck.jail.errors import StudentError

from solutions import experiments
from solutions.experiments import K, N


def draw_tokens(draw: Any, m: int, n: int = N) -> torch.Tensor:
    """Draw sequences (m, n) that the student has never seen."""
    return torch.tensor([[draw.integer(0, K - 1) for _ in range(n)] for _ in range(m)])


def unrecorded(student: Any, call: Callable[[], Any]) -> Any:
    """Make a call that diagnosis shall not see, because its answer is judged by what it is made of."""
    before = len(student.calls)
    try:
        return call()
    finally:
        del student.calls[before:]


def draw_results(draw: Any, n: int, middle: float = 0.6, spread: float = 0.2) -> list[float]:
    """Draw n results."""
    return [draw.rng.gauss(middle, spread) for _ in range(n)]


# run_seed


def draw_answers(draw: Any, X: torch.Tensor) -> torch.Tensor:
    """Draw logits (m, n - 1, K) of answers to both questions, (previous, first), each right at most positions."""
    answers = []
    for target in experiments.targets(X):
        hit = draw.tensor(*target.shape).sigmoid() < 0.6  # about two of three
        said = torch.where(hit, target, (target + 3) % K)
        answers.append(draw.tensor(*target.shape, K) + 20 * torch.nn.functional.one_hot(said, K))
    return torch.stack(answers)


@task("run_seed", points=2)
def test_both_answers_must_be_right(student, draw):
    """Positions count where both answers are right, and only these."""
    m, n = draw.distinct(m=(20, 30), n=(9, 15))
    X = draw_tokens(draw, m, n)
    previous, first = draw_answers(draw, X)
    try:
        got = unrecorded(student, lambda: student.both_right(previous, first, X))
    except StudentError as error:
        raise WrongAnswer(_("both_right: it stopped with {error}").format(error=error.type_name)) from error
    if (found := differences(got, experiments.both_right(previous, first, X), what="both_right")) is not None:
        one, other = experiments.accuracies(previous, first, X)
        slips = {
            "accuracies-averaged": (one + other) / 2,
            "accuracies-multiplied": one * other,
            "either-answer-counts": one + other - experiments.both_right(previous, first, X),
            "one-answer-counts": one,
        }
        named = tuple(name for name, value in slips.items() if differences(got, value) is None)
        raise WrongAnswer(found, mistakes=named or ("one-answer-counts",) * (differences(got, other) is None))


@task("run_seed", points=1)
def test_seed_and_steps_decide(student, draw):
    """The same seed gives the same model, another seed another one, and training changes it."""
    seed = draw.integer(0, 1000)
    start, one, again, other = (
        student.run_seed.make(2, s, steps).state() for s, steps in ((seed, 0), (seed, 2), (seed, 2), (seed + 1, 2))
    )
    if differences(one, again) is not None:
        raise WrongAnswer(_("run_seed: the same seed gives two different models"), mistakes=("training-not-seeded",))
    if differences(one, other) is None:
        raise WrongAnswer(_("run_seed: two seeds give the same model"), mistakes=("seed-fixed",))
    if differences(start, one) is None:
        raise WrongAnswer(_("run_seed: after two steps nothing has changed"), mistakes=("optimizer-never-steps",))


@task("run_seed", points=2)
def test_the_model_learns(student, draw):
    """A model with four heads answers new data; both answers are right far more often than by guessing."""
    X = draw_tokens(draw, 300)
    for _attempt in range(ATTEMPTS):
        previous, first = train_once(student, draw, X)
        if experiments.both_right(previous, first, X) > 0.25:
            return
    accuracies = experiments.accuracies(previous, first, X)
    one_only = max(accuracies) > 0.8
    raise WrongAnswer(
        _("run_seed: after 200 steps both answers are hardly ever right"),
        mistakes=("loss-of-one-target",) * one_only,
        fraction=0.25 * one_only,
    )


ATTEMPTS = 4
"""With some seeds a right training gets stuck; one seed that learns both answers is enough."""


def train_once(student: Any, draw: Any, X: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Train a model with four heads and return its logits for X."""
    model = student.run_seed.make(4, draw.integer(0, 1000), 200)
    got = unrecorded(student, lambda: model(X))
    shape = (len(X), N - 1, K)
    fits = isinstance(got, (tuple, list)) and len(got) == 3 and all(isinstance(part, torch.Tensor) for part in got)
    if not fits or got[0].shape != shape or got[1].shape != shape:
        raise WrongAnswer(_("run_seed: the model should give logits of shape {shape} twice").format(shape=shape))
    if got[2].ndim == 4 and got[2].shape[1] != 4:
        raise WrongAnswer(_("run_seed: the model has another number of heads"), mistakes=("number-of-heads-ignored",))
    return got[0], got[1]


# paired_difference


def draw_pair(draw: Any, n: int, shift: float, scatter: float) -> tuple[list[float], list[float]]:
    """Draw results of n seeds in two settings: seeds scatter widely, differences by `scatter` around `shift`."""
    a = draw_results(draw, n)
    return a, [x + shift + draw.rng.gauss(0, scatter) for x in a]


def spaced_pair(draw: Any, ratio: float) -> tuple[list[float], list[float]]:
    """Draw two settings whose mean difference is `ratio` standard errors."""
    a, b = draw_pair(draw, draw.integer(5, 9), 0.0, 0.05)
    mean, se, _significant = experiments.paired_difference(a, b)
    return a, [y - mean + ratio * se for y in b]


@task("paired_difference", points=2)
def test_mean_and_standard_error_are_those_of_the_differences(student, draw):
    """A small steady gain is clear although the seeds scatter widely."""
    compare(student.paired_difference, experiments.paired_difference, *draw_pair(draw, draw.integer(5, 9), 0.2, 0.03))


@task("paired_difference", points=1, kept_for="what is near the limit")
def test_the_rule_says_no_within_two_standard_errors(student, draw):
    """1.5 standard errors are not enough, on either side; nor are the lesson's two kinds of seeds."""
    for ratio in (1.5, -1.5):
        compare(student.paired_difference, experiments.paired_difference, *spaced_pair(draw, ratio))
    a = [0.44 + 0.01 * draw.rng.random(), 1.0, 0.40 + 0.01 * draw.rng.random(), 1.0]
    compare(student.paired_difference, experiments.paired_difference, a, [1.0] * 4)


@task("paired_difference", points=1, kept_for="losses as well as gains")
def test_the_rule_looks_in_both_directions(student, draw):
    """2.6 standard errors are enough, for a gain and for a loss."""
    for ratio in (-2.6, 2.6):
        compare(student.paired_difference, experiments.paired_difference, *spaced_pair(draw, ratio))


# success_share


def draw_seeds(draw: Any, n: int, solved: int) -> list[float]:
    """Draw results of n seeds of which some are solved; one stops just short of it."""
    low = [0.3 + 0.2 * draw.rng.random() for _ in range(n - solved)]
    if len(low) > 1:
        low[0] = 0.93 + 0.015 * draw.rng.random()
    results = low + [0.96 + 0.04 * draw.rng.random() for _ in range(solved)]
    draw.rng.shuffle(results)
    return results


@task("success_share", points=2)
def test_solved_seeds_are_counted(student, draw):
    """Count, share and Wilson's interval of some solved seeds."""
    n = draw.integer(9, 14)
    compare(student.success_share, experiments.success_share, draw_seeds(draw, n, draw.integer(5, n - 3)))


@task("success_share", points=1, kept_for="the ends of the scale")
def test_the_interval_keeps_its_width_when_all_are_solved(student, draw):
    """All solved and none solved: the interval still has a width and stays between 0 and 1."""
    n = draw.integer(4, 8)
    compare(student.success_share, experiments.success_share, draw_seeds(draw, n, n))
    compare(student.success_share, experiments.success_share, draw_seeds(draw, n, 0))


@task("success_share", points=1, kept_for="the lesson's own case")
def test_two_of_four(student, draw):
    """Half of four seeds, as in the lesson."""
    compare(student.success_share, experiments.success_share, draw_seeds(draw, 4, 2))


# redundancy


@task("redundancy", points=2)
def test_drops_are_those_of_the_same_seed(student, draw):
    """Mean and largest drop, each from what the same seed reached with all heads."""
    seeds, h = draw.distinct(seeds=(3, 5), h=(6, 8))
    full = torch.tensor([1.0] + [0.35 + 0.05 * draw.rng.random() for _ in range(seeds - 1)])
    ablated = full[:, None] * (0.6 + 0.3 * draw.tensor(seeds, h).sigmoid())
    ablated[1, 0], ablated[0, 1] = 0.01, 0.3  # the lowest result is not the largest drop
    compare(student.redundancy, experiments.redundancy, full, ablated)


@task("redundancy", points=1, kept_for="sizes that agree by chance")
def test_drops_are_right_where_shapes_cannot_tell(student, draw):
    """With as many seeds as heads, and with a head whose loss does good."""
    n = draw.integer(3, 5)
    full = draw.tensor(n).sigmoid() * 0.5 + 0.5
    ablated = full[:, None] - 0.1 - 0.05 * draw.tensor(n, n).abs()
    ablated[0, 0] = full[0] + 0.02
    compare(student.redundancy, experiments.redundancy, full, ablated)


# conclusion


@task("conclusion", points=2)
def test_the_lessons_table(student, draw):
    """Two best, two split, nothing significant: as in the lesson, the stuck seeds a little moved."""
    stuck = [0.38 + 0.08 * draw.rng.random() for _ in range(3)]
    table = [[stuck[0], 1.0, stuck[1], 1.0], [1.0, 1.0, stuck[2], 1.0], [1.0] * 4, [1.0] * 4]
    compare(student.conclusion, experiments.conclusion, [1, 2, 4, 8], table)


@task("conclusion", points=2)
def test_another_table(student, draw):
    """One best, one split, and settings that are better and worse than the first without doubt."""
    n = draw.integer(5, 8)
    first = [0.70 + 0.02 * draw.rng.random() for _ in range(n)]
    better = [x + 0.15 + 0.01 * draw.rng.random() for x in first]
    worse = [x - 0.3 - 0.01 * draw.rng.random() for x in first]  # stuck, and nothing of it solved
    split = [1.0 if s % 3 == 0 else 0.42 + 0.05 * draw.rng.random() for s in range(n)]
    near = [x + 0.1 * (-1) ** s for s, x in enumerate(first)]
    compare(student.conclusion, experiments.conclusion, [3, 5, 6, 9, 12], [first, split, better, worse, near])
