"""Matches a student's wrong values with the bank: which known mistake gives exactly these?"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from headcheck.course.config import Course
from headcheck.diagnosis.bank import Mistake
from headcheck.diagnosis.explain import Call, Explainer, first_line, gives_away
from headcheck.diagnosis.stages import Elements, Pipeline, elements_of
from headcheck.diagnosis.values import quick_same
from headcheck.jail.errors import StudentError
from headcheck.jail.remote import Traced

TOLERANCE = 1e-5


@dataclass(frozen=True)
class Observation:
    """One call of a student's function that did not give what it should."""

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    got: Any
    """The value, or the StudentError that the call ended with."""
    again: Callable[[], Traced] | None = None
    """Makes the same call once more and brings its steps along."""


class Bank(dict[str, Mistake]):
    """The known mistakes of a course by id, and how its tasks are computed in stages."""

    def __init__(self, mistakes: Mapping[str, Mistake], pipelines: Mapping[str, Pipeline]) -> None:
        super().__init__(mistakes)
        self.pipelines = pipelines
        self._explainers: dict[str, Explainer] = {}

    def explainer(self, task: str) -> Explainer:
        """Return the search for the mistakes of a task in stages; made when it is needed first."""
        if task not in self._explainers:
            pipeline = self.pipelines[task]
            self._explainers[task] = Explainer(pipeline, elements_of(task, pipeline, self), quick_same)
        return self._explainers[task]


def load_bank(course: Course) -> Bank:
    """Load the course's bank of known mistakes.

    Args:
        course: the course.

    Returns:
        Id -> mistake; empty when the course keeps no bank.
    """
    course.make_importable()
    if not (course.root / "solutions" / "mistakes").is_dir():
        return Bank({}, {})
    module = importlib.import_module("solutions.mistakes")
    return Bank(module.BANK, getattr(module, "PIPELINES", {}))


@dataclass(frozen=True)
class Way:
    """Mistakes that explain what was seen together: one, or two."""

    mistakes: tuple[Mistake, ...]
    elements: Elements = ()
    """How they were made, in a task in stages."""


def explanations(
    bank: Mapping[str, Mistake], task: str, failed: Sequence[Observation], calls: Sequence[Observation] = ()
) -> list[Way]:
    """Find the mistakes, or pairs of them, that predict what was seen.

    Args:
        bank: the bank; with a `Bank`, tasks in stages are searched for pairs too.
        task: name of the task.
        failed: the calls of this task that did not give what they should.
        calls: all calls of this task; what came out right must be predicted as well.

    Returns:
        Ways to explain it, equally good; more than one means that these inputs cannot tell them apart.
    """
    if not failed:
        return []
    if isinstance(bank, Bank) and task in bank.pipelines:
        seen = [as_call(bank.pipelines[task], observation) for observation in distinct([*calls, *failed])]
        known = [call for call in seen if call is not None]
        if ways := bank.explainer(task).explain(known):
            return [Way(_mistakes(way), way) for way in ways]
        if known and bank.explainer(task).is_right(known):
            return []  # the numbers are right and their kind is not
    return [Way((mistake,)) for mistake in matching(bank, task, failed, calls)]


def _mistakes(way: Elements) -> tuple[Mistake, ...]:
    return tuple({element.mistake.id: element.mistake for element in way}.values())


def distinct(observations: Sequence[Observation]) -> list[Observation]:
    """Leave out calls that stand twice, as failed ones do."""
    kept: dict[tuple[int, ...], Observation] = {}
    for observation in observations:
        kept.setdefault((id(observation.got), *map(id, observation.args)), observation)
    return list(kept.values())


def as_call(pipeline: Pipeline, observation: Observation) -> Call | None:
    """Bring the arguments into the order of the task; None when they are not the task's."""
    try:
        bound = inspect.signature(pipeline.start).bind(*observation.args, **observation.kwargs)
    except TypeError:
        return None
    bound.apply_defaults()
    return Call(tuple(bound.arguments.values()), observation.got)


def matching(
    bank: Mapping[str, Mistake], task: str, failed: Sequence[Observation], calls: Sequence[Observation] = ()
) -> list[Mistake]:
    """Find the mistakes that predict what was seen.

    Args:
        bank: id -> mistake.
        task: name of the task.
        failed: the calls of this task that did not give what they should.
        calls: all calls of this task; what came out right must be predicted as well.

    Returns:
        Mistakes in the order of the bank; more than one means that these inputs cannot tell them apart.
    """
    if not failed:
        return []
    return [mistake for mistake in bank.values() if _explains(mistake, task, [*failed, *calls])]


def _explains(mistake: Mistake, task: str, observations: Sequence[Observation]) -> bool:
    """Tell whether one form of a mistake predicts all observations."""
    return any(all(_predicts(mistake, form, seen) for seen in observations) for form in mistake.forms(task))


def _predicts(mistake: Mistake, wrong: Callable[..., Any], observation: Observation) -> bool:
    try:
        with warnings.catch_warnings(), torch.no_grad(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            value = wrong(*_copy(observation.args), **_copy(dict(observation.kwargs)))
    except Exception as error:
        return _same_crash(observation.got, error) or _speaks_of(mistake, observation.got)
    return not isinstance(observation.got, StudentError) and same_value(observation.got, value)


def _copy(value: Any) -> Any:
    """Give a wrong implementation its own tensors: it may well write into them."""
    if isinstance(value, torch.Tensor):
        return value.clone()
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(_copy, value))
    return value


def _same_crash(got: Any, error: Exception) -> bool:
    """Two crashes are the same when type and text agree: other sizes in the same words speak of another mistake.

    An error without a text in the bank stands for one that the student raises in his own words.
    """
    if not isinstance(got, StudentError) or got.type_name != type(error).__name__:
        return False
    return not str(error) or first_line(got.message) == first_line(str(error))


def _speaks_of(mistake: Mistake, got: Any) -> bool:
    """Tell whether somebody's crash is typical of a mistake that crashes here: torch has several words for some."""
    return isinstance(got, StudentError) and gives_away(mistake, got)


def same_value(a: Any, b: Any) -> bool:
    """Compare two values as fingerprints: same structure, same shape, numbers within tolerance, NaN equal to NaN.

    Args:
        a: a value.
        b: another.

    Returns:
        Whether they agree.
    """
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        if a.shape != b.shape:
            return False
        x, y = a.detach().to(torch.float64), b.detach().to(torch.float64)
        return torch.allclose(x, y, atol=TOLERANCE, rtol=TOLERANCE, equal_nan=True)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(same_value(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same_value(item, b[key]) for key, item in a.items())
    if is_number(a) and is_number(b):
        return same_value(as_tensor(a), as_tensor(b))
    return type(a) is type(b) and not isinstance(a, torch.Tensor) and bool(a == b)


def is_number(value: Any) -> bool:
    """Tell whether a value is an int or a float; a bool is none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def as_tensor(number: float) -> torch.Tensor:
    """Make a float64 tensor without dimensions of a number; an integer that no float can hold becomes infinite."""
    try:
        return torch.tensor(float(number), dtype=torch.float64)
    except OverflowError:
        return torch.tensor(float("inf") if number > 0 else float("-inf"), dtype=torch.float64)
