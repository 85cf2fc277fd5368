"""Explains what a student's code returned by wrong choices of the bank: one of them, or two at different stages."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from headcheck.diagnosis.bank import Mistake
from headcheck.diagnosis.stages import Element, Elements, Pipeline, Search
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

    def explain(self, calls: Sequence[Call]) -> list[Elements]:
        """Find the mistakes that lead to everything that was seen.

        Args:
            calls: calls with what came of them, right ones too: they rule mistakes out.

        Returns:
            Ways to explain them, all equally good; empty when the bank has none, or when nothing is wrong.
        """
        values, crashes = [c for c in calls if not c.crashed], [c for c in calls if c.crashed]
        for most, thorough in ((1, True), (MOST, False), (MOST, True)):
            if thorough and most > 1 and not self._cut_short:
                break  # all pairs were tried already
            if found := self._best(self._ways(values, crashes, most, thorough), values, crashes):
                return found
        return [] if crashes else self._on_a_path_of_its_own(values)

    def is_right(self, calls: Sequence[Call]) -> bool:
        """Tell whether all calls gave the numbers that they should."""
        return all(not call.crashed and self._search.matches(call.args, call.got, ()) for call in calls)

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
        return alone._best(alone._ways(parts[wrong].calls, [], 1, True), parts[wrong].calls, [])

    def _ways(self, values: Sequence[Call], crashes: Sequence[Call], most: int, thorough: bool) -> list[Elements]:
        """Find the ways to explain all calls; unless thorough, no pair is tried where one step explains a call."""
        self._cut_short = False
        ways: list[Elements] = [()]
        for index, call in enumerate(values):
            ways = self._narrow(ways, call, values[:index], most, thorough)
        for index, call in enumerate(crashes):
            ways = self._narrow_by_crash(ways, call, [*values, *crashes[:index]], most)
        return ways

    def _narrow(
        self, ways: list[Elements], call: Call, before: Sequence[Call], most: int, thorough: bool
    ) -> list[Elements]:
        """Keep the ways that lead to this value too; let the others make further choices, as few as will do."""
        kept: list[Elements] = [way for way in ways if self._search.matches(call.args, call.got, way)]
        for way in ways:
            if way in kept or len(way) >= most:
                continue
            steps = range(most - len(way), most - len(way) + 1) if thorough else range(1, most - len(way) + 1)
            for more in steps:
                found = minimal(self._search.extend(call.args, call.got, way, more))
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

    def _narrow_by_crash(self, ways: list[Elements], call: Call, before: Sequence[Call], most: int) -> list[Elements]:
        kept = [way for way in ways if self._crash_score(way, call) > 0]
        for way in ways:
            if way in kept or len(way) >= most:
                continue
            taken = {stage for element in way for stage in element.choice}
            for element in self._elements:
                longer = (*way, element)
                free = taken.isdisjoint(element.choice)
                if free and self._crash_score(longer, call) > 0 and self._fit(longer, before):
                    kept.append(longer)
        return minimal(kept)[:KEPT]

    def _crash_score(self, way: Elements, call: Call) -> int:
        """Say how well these choices explain a crash: 3 by its words, 2 but for the sizes, 1 by its kind, 0 not."""
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
        return 2 if without_numbers(str(outcome)) == without_numbers(error.message) else 1

    def _best(self, ways: list[Elements], values: Sequence[Call], crashes: Sequence[Call]) -> list[Elements]:
        ways = [way for way in ways if way]
        if not ways:
            return []
        shown_by_values = not all(self._search.matches(call.args, call.got, ()) for call in values)
        needed = 1 if shown_by_values else 2
        scores = {way: min((self._crash_score(way, call) for call in crashes), default=3) for way in ways}
        fewest = min((len(way) for way in ways if scores[way] >= needed), default=0)
        ways = [way for way in ways if len(way) == fewest and scores[way] >= needed]
        highest = max((scores[way] for way in ways), default=0)
        named: dict[frozenset[str], Elements] = {}
        for way in ways:
            if scores[way] == highest:
                named.setdefault(frozenset(element.mistake.id for element in way), way)
        return list(named.values())


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


def without_numbers(text: str) -> str:
    """Return the beginning of an exception's text with its numbers left aside."""
    return re.sub(r"\d+", "#", first_line(text))[:60]
