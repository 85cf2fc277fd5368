"""Computations in stages: what a wrong step at one stage, or at two, makes of the result."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from headcheck.diagnosis.bank import Choice, Context, Mistake, Step
from headcheck.diagnosis.symptoms import Part


@dataclass(frozen=True)
class Check:
    """A part of the result that is settled after an early stage, so that a search can turn back there."""

    stage: str
    predicted: Callable[[Context], Any]
    seen: Callable[[Any], Any]
    """Takes that part out of a student's value; None when there is no such part."""
    packed_by: str
    """The stage that packs the result: the check says nothing when a wrong step is taken there."""


@dataclass(frozen=True)
class Right:
    """Another right step of a stage, which only makes a difference beside a mistake."""

    step: Step
    when: Callable[[Any], bool]
    """Tells by a seen value whether this step may have been taken: code that fills with -inf returns NaN somewhere."""


@dataclass(frozen=True)
class Pipeline:
    """A task whose answer is computed in stages."""

    start: Callable[..., Context]
    """Makes the first context of a call's arguments; its signature is that of the task."""
    stages: Mapping[str, Step]
    """Stage -> its usual right step; in order."""
    result: Callable[[Context], Any]
    checks: Sequence[Check] = ()
    others: Mapping[str, Sequence[Right]] = field(default_factory=dict)
    """Stage -> other right steps. Where one of these applies, the usual one is not tried."""
    with_previous: frozenset[str] = frozenset()
    """Stages that people write into one line with the stage before."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Stage -> what it is called before a student, marked with `N_`."""
    parts: Sequence[Part] = ()
    """The tensors of the result."""

    def run(self, choice: Choice, *args: Any, **kwargs: Any) -> Any:
        """Compute the result with some stages replaced.

        Args:
            choice: stage -> step, for the stages that differ from the usual right ones.
            args: the task's arguments.
            kwargs: the same.

        Returns:
            The result.
        """
        return self.result(self.contexts(choice, *args, **kwargs)[-1])

    def contexts(self, choice: Choice, *args: Any, **kwargs: Any) -> list[Context]:
        """Compute the context after every stage, in order.

        Args:
            choice: as in `run`.
            args: the task's arguments.
            kwargs: the same.

        Returns:
            One context per stage.
        """
        context = self.start(*args, **kwargs)
        made = []
        for stage, right in self.stages.items():
            context = {**context, **choice.get(stage, right)(context)}
            made.append(context)
        return made

    def allows(self, choice: Choice) -> bool:
        """Tell whether this computation has all the stages of a choice."""
        return choice.keys() <= self.stages.keys()

    def function(self, choice: Choice) -> Callable[..., Any]:
        """Make a function with the signature of the task that makes these choices."""

        def form(*args: Any, **kwargs: Any) -> Any:
            return self.run(choice, *args, **kwargs)

        form.__signature__ = inspect.signature(self.start)  # type: ignore[attr-defined]
        return form


def with_forms(mistake: Mistake, pipelines: Mapping[str, Pipeline]) -> Mistake:
    """Give a mistake its functions for every task in stages where it can be made.

    Args:
        mistake: the mistake.
        pipelines: task -> its stages.

    Returns:
        The same mistake with `wrong` and `also` filled in.
    """
    wrong, also = dict(mistake.wrong), {task: list(forms) for task, forms in mistake.also.items()}
    for task, pipeline in pipelines.items():
        if mistake.tasks is not None and task not in mistake.tasks:
            continue
        forms = [pipeline.function(choice) for choice in mistake.choices if pipeline.allows(choice)]
        if forms and task not in wrong:
            wrong[task], forms = forms[0], forms[1:]
        if forms:
            also.setdefault(task, []).extend(forms)
    return dataclasses.replace(mistake, wrong=wrong, also=also)


@dataclass(frozen=True, eq=False)
class Element:
    """One wrong choice that the search may make."""

    mistake: Mistake
    choice: Choice


Elements = tuple[Element, ...]


def elements_of(task: str, pipeline: Pipeline, bank: Mapping[str, Mistake]) -> list[Element]:
    """List every way to make every mistake of the bank in one task in stages."""
    return [
        Element(mistake, choice)
        for mistake in bank.values()
        if mistake.tasks is None or task in mistake.tasks
        for choice in mistake.choices
        if pipeline.allows(choice)
    ]


def merged(elements: Elements) -> dict[str, Step]:
    """Join the choices of several elements."""
    return {stage: step for element in elements for stage, step in element.choice.items()}


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Run trusted implementations of mistakes without warnings and gradients."""
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        yield
