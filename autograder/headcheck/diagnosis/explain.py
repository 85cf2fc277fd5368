"""Explains what a student's code returned by wrong choices of the bank: one of them, or two at different stages."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from headcheck.diagnosis.bank import Mistake
from headcheck.diagnosis.search import Search
from headcheck.diagnosis.stages import Element, Elements, Pipeline
from headcheck.jail.errors import StudentError

MOST = 2
"""How many mistakes are looked for at once."""

KEPT = 64
"""How many ways to explain the calls so far are carried on to the next one."""


@dataclass(frozen=True)
class Call:
    """One call of the student's code in a task in stages."""

    args: tuple[Any, ...]
    got: Any
    """The value, or the StudentError that the call ended with."""

    @property
    def crashed(self) -> bool:
        """Whether it ended with an exception."""
        return isinstance(self.got, StudentError)


class Explainer:
    """Looks for the fewest mistakes that lead to everything that was seen."""

    def __init__(self, pipeline: Pipeline, elements: Sequence[Element], same: Callable[[Any, Any], bool]) -> None:
        """Prepare.

        Args:
            pipeline: the task's stages.
            elements: the wrong choices of the bank.
            same: compares a predicted value with a seen one.
        """
        self._pipeline, self._elements, self._same = pipeline, elements, same
        self._search = Search(pipeline, elements, same)
        self._cut_short = False
        self._scores: dict[tuple[int, Elements], int] = {}

    def explain(self, calls: Sequence[Call]) -> list[Elements]:
        """Find the mistakes that lead to everything that was seen.

        Args:
            calls: calls with what came of them, right ones too: they rule mistakes out.

        Returns:
            Ways to explain them, all equally good; empty when the bank has none, or when nothing is wrong.
        """
        self._scores.clear()
        crashes, right, wrong = self._sorted(calls)
        values = [*right, *wrong]
        if found := self._best(self._ways(self._search, values, crashes, 1, True), values, crashes):
            return found
        search = Search(self._pipeline, self._silent_in(right), self._same) if right else self._search
        for thorough in (False, True):
            if thorough and not self._cut_short:
                break  # all pairs were tried already
            if found := self._best(self._ways(search, values, crashes, MOST, thorough), values, crashes):
                return found
        return [] if crashes else self._on_a_path_of_its_own(values)

    def is_right(self, calls: Sequence[Call]) -> bool:
        """Tell whether all calls gave the numbers that they should."""
        return all(map(self._is_right, calls))

    def _sorted(self, calls: Sequence[Call]) -> tuple[list[Call], list[Call], list[Call]]:
        """Tell crashes, right values and wrong ones apart; the search begins where little has to be computed."""
        crashes = [call for call in calls if call.crashed]
        values = [(call, self._is_right(call)) for call in sorted(calls, key=_size) if not call.crashed]
        return crashes, [call for call, right in values if right], [call for call, right in values if not right]

    def _is_right(self, call: Call) -> bool:
        return not call.crashed and self._search.matches(call.args, call.got, ())

    def _silent_in(self, right: Sequence[Call]) -> list[Element]:
        """List the choices that change nothing in the calls that came out right; others could only cancel out."""
        ways: list[Elements] = [(element,) for element in self._elements]
        for call in right:
            ways = self._search.matching(call.args, call.got, ways)
        return [element for (element,) in ways]

    def _on_a_path_of_its_own(self, values: Sequence[Call]) -> list[Elements]:
        """Explain one part of the result alone, when the other was computed rightly and apart from it."""
        if not all(isinstance(call.got, tuple) and len(call.got) == 2 for call in values):
            return []
        parts = [_Part(self._pipeline, index, values) for index in (0, 1)]
        searches = [Search(part.pipeline, self._elements, self._same) for part in parts]
        right = [
            all(search.matches(call.args, call.got, ()) for call in part.calls)
            for part, search in zip(parts, searches, strict=True)
        ]
        if right.count(True) != 1:
            return []
        wrong = right.index(False)
        alone = Explainer(parts[wrong].pipeline, self._elements, self._same)
        return alone._best(alone._ways(alone._search, parts[wrong].calls, [], 1, True), parts[wrong].calls, [])

    def _ways(
        self, search: Search, values: Sequence[Call], crashes: Sequence[Call], most: int, thorough: bool
    ) -> list[Elements]:
        """Find the ways to explain all calls; unless thorough, no pair is tried where one step explains a call."""
        self._cut_short = False
        ways: list[Elements] = [()]
        for index, call in enumerate(values):
            ways = self._narrow(search, ways, call, values[:index], most, thorough)
        for index, call in enumerate(crashes):
            ways = self._narrow_by_crash(search, ways, call, [*values, *crashes[:index]], most)
        return ways

    def _narrow(
        self, search: Search, ways: list[Elements], call: Call, before: Sequence[Call], most: int, thorough: bool
    ) -> list[Elements]:
        """Keep the ways that lead to this value too; let the others make further choices, as few as will do."""
        kept: list[Elements] = search.matching(call.args, call.got, ways)
        for way in ways:
            if way in kept or len(way) >= most:
                continue
            steps = range(most - len(way), most - len(way) + 1) if thorough else range(1, most - len(way) + 1)
            for more in steps:
                found = minimal(search.extend(call.args, call.got, way, more))
                if fitting := [longer for longer in found if self._fit(longer, before)]:
                    kept.extend(fitting)
                    self._cut_short = self._cut_short or more < steps[-1]
                    break
        return minimal(kept)[:KEPT]

    def _fit(self, way: Elements, calls: Iterable[Call]) -> bool:
        return all(
            self._crash_score(way, call) > 0 if call.crashed else self._search.matches(call.args, call.got, way)
            for call in calls
        )

    def _narrow_by_crash(
        self, search: Search, ways: list[Elements], call: Call, before: Sequence[Call], most: int
    ) -> list[Elements]:
        kept = [way for way in ways if self._crash_score(way, call) > 0]
        for way in ways:
            if way in kept or len(way) >= most:
                continue
            taken = {stage for element in way for stage in element.choice}
            for element in search.elements:
                longer = (*way, element)
                free = taken.isdisjoint(element.choice)
                if free and self._crash_score(longer, call) > 0 and self._fit(longer, before):
                    kept.append(longer)
        return minimal(kept)[:KEPT]

    def _words_score(self, way: Elements, crashes: Sequence[Call]) -> int:
        """Say how well these choices explain all crashes: at least one of them must have exactly these words."""
        scores = [self._crash_score(way, call) for call in crashes] or [3]
        return min(scores) if max(scores) == 3 else min(1, *scores)

    def _crash_score(self, way: Elements, call: Call) -> int:
        key = (id(call), way)
        if key not in self._scores:
            self._scores[key] = self._score(way, call)
        return self._scores[key]

    def _score(self, way: Elements, call: Call) -> int:
        """Say how well these choices explain a crash.

        Returns:
            3 by its words, sizes included; 2 when torch uses other words for factors that do not fit; 1 by its kind
            alone, which is weak: other sizes in the same words speak of another mistake; 0 not at all.
        """
        error = call.got
        outcome = self._search.outcome(call.args, way)
        if not isinstance(outcome, Exception):
            return 0
        if any(gives_away(element.mistake, error) for element in way):
            return 3
        if type(outcome).__name__ != error.type_name:
            return 0
        if not str(outcome) or first_line(str(outcome)) == first_line(error.message):
            return 3
        return 2 if is_misfit(str(outcome)) and is_misfit(error.message) and not alike(outcome, error) else 1

    def _best(self, ways: list[Elements], values: Sequence[Call], crashes: Sequence[Call]) -> list[Elements]:
        ways = [way for way in ways if way]
        if not ways:
            return []
        shown_by_values = not all(self._search.matches(call.args, call.got, ()) for call in values)
        scores = {way: self._words_score(way, crashes) for way in ways}
        if not shown_by_values:
            ways = [way for way in ways if len(way) == 1]  # crashes alone are too little for two mistakes
        ways = [way for way in ways if scores[way] >= (1 if shown_by_values and len(way) == 1 else 2)]
        fewest = min(map(len, ways), default=0)
        ways = [way for way in ways if len(way) == fewest]
        highest = max((scores[way] for way in ways), default=0)
        named: dict[frozenset[str], Elements] = {}
        for way in ways:
            if scores[way] == highest:
                named.setdefault(frozenset(element.mistake.id for element in way), way)
        return list(named.values())


def _size(call: Call) -> int:
    """Count the numbers that a call returned."""
    parts = call.got if isinstance(call.got, tuple) else (call.got,)
    return sum(part.numel() for part in parts if isinstance(part, torch.Tensor))


class _Part:
    """One part of a pair of results, as a task of its own."""

    def __init__(self, pipeline: Pipeline, index: int, calls: Sequence[Call]) -> None:
        self.pipeline = dataclasses.replace(pipeline, result=lambda c: pipeline.result(c)[index], checks=())
        self.calls = [Call(call.args, call.got[index]) for call in calls]


def minimal(ways: Iterable[Elements]) -> list[Elements]:
    """Leave out every way that contains a shorter one, and repetitions."""
    kept: list[Elements] = []
    sets: list[frozenset[Element]] = []
    for way in sorted(ways, key=len):
        members = frozenset(way)
        if not any(known <= members for known in sets):
            kept.append(way)
            sets.append(members)
    return kept


def gives_away(mistake: Mistake, error: StudentError) -> bool:
    """Tell whether the kind and the words of an exception are typical of a mistake."""
    return any(
        crash.type_name == error.type_name and re.search(crash.pattern, error.message[:2000]) is not None
        for crash in mistake.crashes
    )


def first_line(text: str) -> str:
    """Return the first line of an exception's text."""
    return text.strip().split("\n", 1)[0][:200]


def is_misfit(text: str) -> bool:
    """Tell whether an exception's text says that two factors of a product do not fit, in any of torch's words."""
    return re.search(r"shapes cannot be multiplied|of batch2 tensor to be", text) is not None


def alike(outcome: Exception, error: StudentError) -> bool:
    """Tell whether two exceptions have the same words, numbers aside."""
    return re.sub(r"\d+", "#", first_line(str(outcome))) == re.sub(r"\d+", "#", first_line(error.message))
