"""Searches a computation in stages for wrong choices, one or two, that lead to a value that was seen."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch

from headcheck.diagnosis.bank import Choice, Context, Step
from headcheck.diagnosis.stages import Element, Elements, Pipeline, merged, quietly

MOST = 64
"""So many ways that one call cannot tell apart are carried on to the next."""


class Search:
    """Looks for wrong choices, at most `limit` in different stages, that lead to given results."""

    def __init__(self, pipeline: Pipeline, elements: Sequence[Element], same: Callable[[Any, Any], bool]) -> None:
        """Prepare a search.

        Args:
            pipeline: the task's stages.
            elements: the wrong choices that may be made.
            same: compares a predicted value with a seen one.
        """
        self._pipeline, self._same, self.elements = pipeline, same, list(elements)

    def matches(self, args: Sequence[Any], got: Any, chosen: Elements) -> bool:
        """Tell whether these choices lead to a value, with any of the right steps at the other stages."""
        return bool(self.matching(args, got, [chosen]))

    def matching(self, args: Sequence[Any], got: Any, ways: Sequence[Elements]) -> list[Elements]:
        """List the ways that lead to a value, with any of the right steps at the other stages."""
        with quietly():
            try:
                context = self._pipeline.start(*args)
            except Exception:
                return []
            walk = _Walk(self._pipeline, self._same, got)
            return [way for way in ways if any(True for _found in walk.to_the_end(context, way, 0, ()))]

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
            yield from walk.to_the_end(context, chosen, more, self.elements)
            for packing in self._packings(args, got, chosen) if more else ():
                yield from walk.to_the_end(context, (*chosen, packing), more - 1, self.elements)

    def _pairs(self, walk: _Walk, context: Context, args: Sequence[Any]) -> Iterator[Elements]:
        """Find single choices and pairs; of choices that this call cannot tell apart all come, and one is tried."""
        telling, twins = self._telling(args)
        for way in self._cut_short(walk, context, args, telling):
            yield way
            for other in itertools.islice(itertools.product(*(twins.get(element, [element]) for element in way)), MOST):
                if other != way:
                    yield from walk.to_the_end(context, other, 0, ())

    def _cut_short(
        self, walk: _Walk, context: Context, args: Sequence[Any], telling: Sequence[tuple[Element, bool]]
    ) -> Iterator[Elements]:
        """Find single choices and pairs, cut short by what the parts that are settled early say."""
        loud = [element for element, settled in telling if settled]
        if walk.settled_rightly(context):
            silent = [element for element, settled in telling if not settled]
            yield from walk.to_the_end(context, (), 2, silent)
        else:
            yield from walk.to_the_end(context, (), 2, loud)
            others = [element for element in self.elements if element not in loud]
            for element in loud:
                if walk.reaches(context, (element,)):
                    yield from walk.to_the_end(context, (element,), 1, others)
        for packing in self._packings(args, walk.got, ()):
            yield from walk.to_the_end(context, (packing,), 1, [element for element, _settled in telling])

    def _telling(self, args: Sequence[Any]) -> tuple[list[tuple[Element, bool]], dict[Element, list[Element]]]:
        """List the elements that change the result of a call, and whether they change what is settled early.

        Of the forms of one mistake that give the same result only the first is listed, with all of them beside it.
        """
        right = self._pipeline.contexts({}, *args)[-1]
        found: list[tuple[Element, bool]] = []
        twins: dict[Any, list[Element]] = {}
        for element in self.elements:
            try:
                wrong = self._pipeline.contexts(element.choice, *args)[-1]
            except Exception:
                continue
            result = self._pipeline.result(wrong)
            mark = (element.mistake.id, tuple(element.choice), fingerprint(result))
            if mark in twins:
                twins[mark].append(element)
            elif not self._same(result, self._pipeline.result(right)):
                twins[mark] = [element]
                checks = self._pipeline.checks
                found.append((element, any(not self._same(c.predicted(wrong), c.predicted(right)) for c in checks)))
        return found, {elements[0]: elements for elements in twins.values()}

    def _packings(self, args: Sequence[Any], got: Any, chosen: Elements) -> Iterator[Element]:
        """List the wrong ways to pack the result that give one of the seen shape, when the right way does not."""
        if shape_of(self.outcome(args, chosen)) == shape_of(got):
            return
        packing = {check.packed_by for check in self._pipeline.checks}
        for element in self.elements:
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
        self._checks = {check.stage: (check, check.seen(got)) for check in pipeline.checks}
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
        for end, way in self._from(0, context, merged(chosen), chosen, more, starting):
            if self._same(self._pipeline.result(end), self.got):
                yield way

    def reaches(self, context: Context, chosen: Elements) -> bool:
        """Tell whether these choices agree with all that is settled early."""
        end = max((self._names.index(name) + 1 for name in self._checks), default=0)
        return any(True for _found in self._straight(0, context, merged(chosen), end))

    def settled_rightly(self, context: Context) -> bool:
        """Tell whether all that is settled early came out right."""
        return bool(self._checks) and self.reaches(context, ())

    def _from(
        self,
        index: int,
        context: Context,
        fixed: Choice,
        chosen: Elements,
        more: int,
        starting: Mapping[str, Sequence[Element]],
    ) -> Iterator[tuple[Context, Elements]]:
        if not more or index == len(self._names):
            for end in self._straight(index, context, fixed, len(self._names)):
                yield end, chosen
            return
        name = self._names[index]
        for step in self._steps(name, fixed):
            if (further := self._after(name, step, context, fixed)) is not None:
                yield from self._from(index + 1, further, fixed, chosen, more, starting)
        for element in () if name in fixed else starting[name]:
            if fixed.keys().isdisjoint(element.choice):
                now = {**fixed, **element.choice}
                if (further := self._after(name, now[name], context, now)) is not None:
                    yield from self._from(index + 1, further, now, (*chosen, element), more - 1, starting)

    def _straight(self, index: int, context: Context, fixed: Choice, end: int) -> Iterator[Context]:
        """Go on without further choices, which is where nearly all time is spent."""
        for place in range(index, end):
            name = self._names[place]
            first, *others = self._steps(name, fixed)
            for other in others:
                if (further := self._after(name, other, context, fixed)) is not None:
                    yield from self._straight(place + 1, further, fixed, end)
            if (now := self._after(name, first, context, fixed)) is None:
                return
            context = now
        yield context

    def _steps(self, name: str, fixed: Choice) -> Sequence[Step]:
        """List the steps that can be taken at a stage without a further choice."""
        return (fixed[name],) if name in fixed else self._right[name]

    def _after(self, name: str, step: Step, context: Context, fixed: Choice) -> Context | None:
        """Take a step; None when it fails, or when what is settled by it is not what was seen."""
        try:
            made = step(context)
        except Exception:
            return None
        further = {**context, **made} if made else context
        if name not in self._checks:
            return further
        check, seen = self._checks[name]
        if check.packed_by in fixed or (seen is not None and self._same(check.predicted(further), seen)):
            return further
        return None


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
