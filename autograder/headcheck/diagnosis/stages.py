"""Computations in stages: what a wrong step at one stage, or at two, makes of the result, and the search for both."""

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


class Search:
    """Looks for wrong choices, at most `limit` in different stages, that lead to given results."""

    def __init__(self, pipeline: Pipeline, elements: Sequence[Element], same: Callable[[Any, Any], bool]) -> None:
        """Prepare a search.

        Args:
            pipeline: the task's stages.
            elements: the wrong choices that may be made.
            same: compares a predicted value with a seen one.
        """
        self._pipeline, self._same, self._elements = pipeline, same, list(elements)

    def matches(self, args: Sequence[Any], got: Any, chosen: Elements) -> bool:
        """Tell whether these choices lead to a value, with any of the right steps at the other stages."""
        return any(True for _found in self.extend(args, got, chosen, 0))

    def extend(self, args: Sequence[Any], got: Any, chosen: Elements, more: int) -> Iterator[Elements]:
        """Find the choices that lead to a value, with up to `more` further ones; every prefix is computed once.

        With two to find, those that alone change nothing in this call are left aside: another call shows them.

        Args:
            args: arguments of the call.
            got: the value that it returned.
            chosen: choices made already.
            more: how many more may be made.

        Yields:
            All choices of each way that leads there; a way may come more than once.
        """
        with quietly():
            try:
                context = self._pipeline.start(*args)
            except Exception:
                return
            walk = _Walk(self._pipeline, self._same, got)
            if more > 1 and not chosen:
                yield from self._pairs(walk, context, args)
                return
            yield from walk.to_the_end(context, chosen, more, self._elements)
            for packing in self._packings(args, got, chosen) if more else ():
                yield from walk.to_the_end(context, (*chosen, packing), more - 1, self._elements)

    def _pairs(self, walk: _Walk, context: Context, args: Sequence[Any]) -> Iterator[Elements]:
        """Find single choices and pairs, cut short by what the parts that are settled early say."""
        telling = self._telling(args)
        loud = [element for element, settled in telling if settled]
        if walk.settled_rightly(context):
            silent = [element for element, settled in telling if not settled]
            yield from walk.to_the_end(context, (), 2, silent)
        else:
            yield from walk.to_the_end(context, (), 2, loud)
            others = [element for element in self._elements if element not in loud]
            for element in loud:
                if walk.reaches(context, (element,)):
                    yield from walk.to_the_end(context, (element,), 1, others)
        for packing in self._packings(args, walk.got, ()):
            yield from walk.to_the_end(context, (packing,), 1, [element for element, _settled in telling])

    def _telling(self, args: Sequence[Any]) -> list[tuple[Element, bool]]:
        """List the elements that change the result of a call, and whether they change what is settled early."""
        right = self._pipeline.contexts({}, *args)[-1]
        found, seen = [], set()
        for element in self._elements:
            try:
                wrong = self._pipeline.contexts(element.choice, *args)[-1]
            except Exception:
                continue
            result = self._pipeline.result(wrong)
            mark = (element.mistake.id, tuple(element.choice), fingerprint(result))
            if mark in seen or self._same(result, self._pipeline.result(right)):
                continue
            seen.add(mark)
            checks = self._pipeline.checks
            found.append((element, any(not self._same(c.predicted(wrong), c.predicted(right)) for c in checks)))
        return found

    def _packings(self, args: Sequence[Any], got: Any, chosen: Elements) -> Iterator[Element]:
        """List the wrong ways to pack the result that give one of the seen shape, when the right way does not."""
        if shape_of(self.outcome(args, chosen)) == shape_of(got):
            return
        packing = {check.packed_by for check in self._pipeline.checks}
        for element in self._elements:
            free = merged(chosen).keys().isdisjoint(element.choice)
            if (
                free
                and packing & element.choice.keys()
                and shape_of(self.outcome(args, (*chosen, element))) == shape_of(got)
            ):
                yield element

    def outcome(self, args: Sequence[Any], chosen: Elements) -> Any:
        """Return what these choices lead to: a value, or the exception that they end with."""
        with quietly():
            try:
                return self._pipeline.run(merged(chosen), *args)
            except Exception as error:
                return error


class _Walk:
    """Goes through the stages along all choices that may still lead to one seen value."""

    def __init__(self, pipeline: Pipeline, same: Callable[[Any, Any], bool], got: Any) -> None:
        self._pipeline, self._same, self.got = pipeline, same, got
        self._names = list(pipeline.stages)
        self._checks = {check.stage: check for check in pipeline.checks}
        self._right = {name: self._right_steps(name) for name in self._names}

    def _right_steps(self, name: str) -> list[Step]:
        others = [right.step for right in self._pipeline.others.get(name, ()) if right.when(self.got)]
        return others or [self._pipeline.stages[name]]

    def to_the_end(
        self, context: Context, chosen: Elements, more: int, elements: Sequence[Element]
    ) -> Iterator[Elements]:
        """Find the ways that make these choices and up to `more` others, and lead to the value."""
        starting: dict[str, list[Element]] = {name: [] for name in self._names}
        for element in elements if more else ():
            starting[min(element.choice, key=self._names.index)].append(element)
        for _context, way in self._from(0, context, merged(chosen), chosen, more, starting, len(self._names)):
            if self._same(self._pipeline.result(_context), self.got):
                yield way

    def reaches(self, context: Context, chosen: Elements) -> bool:
        """Tell whether these choices agree with all that is settled early."""
        end = max((self._names.index(name) + 1 for name in self._checks), default=0)
        return any(True for _found in self._from(0, context, merged(chosen), chosen, 0, {}, end))

    def settled_rightly(self, context: Context) -> bool:
        """Tell whether all that is settled early came out right."""
        return bool(self._checks) and self.reaches(context, ())

    def _from(
        self,
        index: int,
        context: Context,
        fixed: Mapping[str, Step],
        chosen: Elements,
        more: int,
        starting: Mapping[str, Sequence[Element]],
        end: int,
    ) -> Iterator[tuple[Context, Elements]]:
        if index == end:
            yield context, chosen
            return
        name = self._names[index]
        for step, now_fixed, now_chosen in self._options(name, fixed, chosen, starting.get(name, ()) if more else ()):
            try:
                further = {**context, **step(context)}
            except Exception:
                continue
            if self._promising(name, further, now_fixed):
                left = more - (len(now_chosen) - len(chosen))
                yield from self._from(index + 1, further, now_fixed, now_chosen, left, starting, end)

    def _options(
        self, name: str, fixed: Mapping[str, Step], chosen: Elements, starting: Sequence[Element]
    ) -> Iterator[tuple[Step, Mapping[str, Step], Elements]]:
        """List the steps that can be taken at a stage: the one that is fixed, or every right and every wrong one."""
        if name in fixed:
            yield fixed[name], fixed, chosen
            return
        for right in self._right[name]:
            yield right, fixed, chosen
        for element in starting:
            if fixed.keys().isdisjoint(element.choice):
                yield element.choice[name], {**fixed, **element.choice}, (*chosen, element)

    def _promising(self, name: str, context: Context, fixed: Mapping[str, Step]) -> bool:
        """Compare what is settled after this stage with what was seen."""
        check = self._checks.get(name)
        if check is None or check.packed_by in fixed:
            return True
        part = check.seen(self.got)
        return part is not None and self._same(check.predicted(context), part)


def fingerprint(value: Any) -> Any:
    """Reduce a value to something that can be put into a set; equal for equal tensors."""
    if isinstance(value, torch.Tensor):
        return (tuple(value.shape), value.detach().contiguous().numpy().tobytes())
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, tuple(map(fingerprint, value)))
    return repr(value)


def shape_of(value: Any) -> Any:
    """Reduce a value to its kinds and shapes."""
    if isinstance(value, torch.Tensor):
        return tuple(value.shape)
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, [shape_of(part) for part in value])
    return type(value).__name__


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Run trusted implementations of mistakes without warnings and gradients."""
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        yield
