"""The kinds of answers: how each is read, written, compared, and described to a person."""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from headcheck.i18n import _
from headcheck.quiz import parsing
from headcheck.quiz.parsing import Malformed

LETTERS = "abcdefgh"
SWAPPED = "axes-swapped"
"""Id of the misconception when all sizes of a shape are right but stand in another order."""


@dataclass(frozen=True)
class Judgement:
    """What a comparison found: the share earned (0 to 1), where it is off, and the misconception that shows."""

    fraction: float
    remark: str = ""
    mistake: str = ""


class Kind(ABC):
    """A kind of answer. `answer` is a value as the bank computes it, `given` one as `parse` returns it."""

    @abstractmethod
    def form(self) -> str:
        """Say in a few words what the answer looks like ("a whole number")."""

    @abstractmethod
    def fits(self, name: str) -> str:
        """Return a Python expression that is true when the variable `name` has this form; plain Python only."""

    @abstractmethod
    def judge(self, answer: Any, given: Any) -> Judgement:
        """Compare what was given with the right answer; the remark never tells the right answer."""

    @abstractmethod
    def _read(self, value: object, language: str | None) -> Any: ...

    def parse(self, value: object, language: str | None = None) -> Any:
        """Read an answer.

        Args:
            value: what stands in the variable or was typed.
            language: of the person who typed it, for numbers that can be read in two ways; None when not known.

        Returns:
            The answer in the form that `judge` takes.

        Raises:
            Malformed: with one sentence: what form is asked for, and what was seen.
        """
        try:
            return self._read(value, language)
        except Malformed as error:
            raise self.malformed(str(error)) from None

    def malformed(self, seen: str) -> Malformed:
        """Return the complaint about a value of another form."""
        return Malformed(_("{form} is asked for, but {seen}").format(form=self.form(), seen=seen))

    def shows(self, answer: Any, wrong: Any, given: Any) -> bool:
        """Say whether what was given is (or, for several choices, holds) a known wrong answer."""
        return self.judge(wrong, given).fraction == 1

    def mistaken(self, answer: Any, wrong: Any) -> Any:
        """Return what somebody gives who makes one known mistake and no other."""
        return wrong

    def unfit(self, given: Any) -> str:
        """Say why an answer that could be read has a form that was ruled out in the question, else an empty text."""
        return ""

    def write(self, answer: Any) -> object:
        """Return the answer as the plain Python value that stands in a notebook."""
        return answer

    def arranged(self, order: Mapping[str, Sequence[str]]) -> Kind:
        """Return this kind with its options in the order of one variant."""
        return self


@dataclass(frozen=True)
class Integer(Kind):
    """A whole number."""

    def form(self) -> str:
        """Say what the answer looks like."""
        return _("a whole number")

    def fits(self, name: str) -> str:
        """Return the check of the form as a Python expression."""
        return f'not isinstance({name}, (bool, str)) and str({name}).removesuffix(".0").isdigit()'

    def judge(self, answer: int, given: int) -> Judgement:
        """Compare exactly."""
        return Judgement(1.0) if given == answer else Judgement(0.0, _("The number is not right."))

    def _read(self, value: object, language: str | None) -> int:
        return parsing.integer(value, language)


@dataclass(frozen=True)
class Number(Kind):
    """A number that may have decimals; right when it is right after rounding to some decimals."""

    decimals: int = 2

    def form(self) -> str:
        """Say what the answer looks like."""
        return _("a number (two decimals are enough)") if self.decimals == 2 else _("a number")

    def fits(self, name: str) -> str:
        """Return the check of the form as a Python expression."""
        return f"not isinstance({name}, (bool, str)) and hasattr({name}, '__float__')"

    def judge(self, answer: float, given: float) -> Judgement:
        """Compare within half a unit of the last decimal that counts."""
        close = math.isclose(given, answer, rel_tol=1e-9, abs_tol=0.5001 * 10**-self.decimals)
        return Judgement(1.0) if close else Judgement(0.0, _("The number is not right."))

    def write(self, answer: float) -> object:
        """Return the number, as an integer when it is whole."""
        return int(answer) if float(answer).is_integer() else answer

    def _read(self, value: object, language: str | None) -> float:
        return parsing.number(value, language)


@dataclass(frozen=True)
class Shape(Kind):
    """The shape of a tensor.

    Args:
        axes: what the axes are, in the right order; used in feedback about a wrong order.
        tell_length: the question says how many axes there are. False when that is part of what is asked.
    """

    axes: tuple[str, ...]
    tell_length: bool = False

    def form(self) -> str:
        """Say what the answer looks like."""
        if self.tell_length:
            return _("a tuple of {count} integers").format(count=len(self.axes))
        return _("a shape (a tuple of integers)")

    def fits(self, name: str) -> str:
        """Return the check of the form as a Python expression."""
        length = f"len({name}) == {len(self.axes)}" if self.tell_length else f"len({name}) > 0"
        return f"isinstance({name}, (tuple, list)) and {length} and all(str(size).isdigit() for size in {name})"

    def unfit(self, given: tuple[int, ...]) -> str:
        """Refuse another number of axes when the question told the number."""
        if self.tell_length and len(given) != len(self.axes):
            return _("this has {count}").format(count=len(given))
        return ""

    def judge(self, answer: tuple[int, ...], given: tuple[int, ...]) -> Judgement:
        """Compare exactly; the right sizes in another order earn half."""
        if given == answer:
            return Judgement(1.0)
        if len(given) != len(answer):
            return Judgement(0.0, _("The number of axes ({count}) is not right.").format(count=len(given)))
        off = [str(axis) for axis, (got, wanted) in enumerate(zip(given, answer, strict=True)) if got != wanted]
        if sorted(given) == sorted(answer):
            return Judgement(0.5, self._order_remark(answer, given, off), SWAPPED)
        if len(off) == 1:
            return Judgement(0.0, _("Axis {axis} is not right (axes count from 0).").format(axis=off[0]))
        return Judgement(0.0, _("Axes {axes} are not right (axes count from 0).").format(axes=parsing.join(off)))

    def _order_remark(self, answer: tuple[int, ...], given: tuple[int, ...], off: list[str]) -> str:
        return _(
            "The sizes are right, their order is not: you wrote ({order}), and axes {axes} (counted from 0) "
            "stand in the wrong place."
        ).format(order=", ".join(self._named(answer, given)), axes=parsing.join(off))

    def _named(self, answer: tuple[int, ...], given: tuple[int, ...]) -> list[str]:
        """Name the axes of a shape in wrong order; axes of equal size are named in their usual order."""
        left = list(zip(self.axes, answer, strict=True))
        named = []
        for size in given:
            taken = next(pair for pair in left if pair[1] == size)
            left.remove(taken)
            named.append(taken[0])
        return named

    def _read(self, value: object, language: str | None) -> tuple[int, ...]:
        return parsing.sizes(value)


@dataclass(frozen=True)
class Options(Kind):
    """An answer out of given options. The bank speaks of options by their keys, a person by their letters.

    Args:
        options: keys of the options, in the order in which they are shown.
        name: name of the part, when the choice is part of an answer.
    """

    options: tuple[str, ...]
    name: str = ""

    @property
    def letters(self) -> str:
        """The letters in front of the options."""
        return LETTERS[: len(self.options)]

    def arranged(self, order: Mapping[str, Sequence[str]]) -> Options:
        """Return the choice with its options in the order of one variant."""
        return dataclasses.replace(self, options=tuple(order.get(self.name, self.options)))

    def letter(self, option: str) -> str:
        """Return the letter of an option."""
        return self.letters[self.options.index(option)]

    def option(self, letter: str) -> str:
        """Return the option that a letter stands for."""
        return self.options[self.letters.index(letter)]


@dataclass(frozen=True)
class Choice(Options):
    """One option out of some."""

    def form(self) -> str:
        """Say what the answer looks like."""
        return _('one letter, "{first}" to "{last}"').format(first=self.letters[0], last=self.letters[-1])

    def fits(self, name: str) -> str:
        """Return the check of the form as a Python expression."""
        return f'str({name}).strip(" ().").lower() in {tuple(self.letters)!r}'

    def judge(self, answer: str, given: str) -> Judgement:
        """Compare exactly."""
        if given == answer:
            return Judgement(1.0)
        return Judgement(0.0, _("Option {letter} is not right.").format(letter=self.letter(given)))

    def write(self, answer: str) -> str:
        """Return the letter of an option."""
        return self.letter(answer)

    def _read(self, value: object, language: str | None) -> str:
        return self.option(parsing.letter(value, self.letters))


@dataclass(frozen=True)
class Choices(Options):
    """Every option that holds, at least one; their order does not matter.

    An answer is a set of keys. What is ticked wrongly and what is missing weigh the same: a quarter of the options
    judged wrongly costs half the points, half of them costs all, so that guessing earns nothing on average.
    """

    def form(self) -> str:
        """Say what the answer looks like."""
        return _('all letters that hold, such as "{first}, {last}"').format(
            first=self.letters[0], last=self.letters[-1]
        )

    def fits(self, name: str) -> str:
        """Return the check of the form as a Python expression."""
        seen = f'set("".join(map(str, {name})).lower()) - set(" ,;().")'
        return f"isinstance({name}, (str, tuple, list, set)) and set() < {seen} <= set({self.letters!r})"

    def judge(self, answer: Collection[str], given: Collection[str]) -> Judgement:
        """Compare option by option."""
        errors = len(set(answer) ^ set(given))
        if not errors:
            return Judgement(1.0)
        share = max(0.0, 1 - 2 * errors / len(self.options))
        return Judgement(share, _("Not every option is judged rightly."))

    def shows(self, answer: Collection[str], wrong: str, given: Collection[str]) -> bool:
        """Say whether one option is judged wrongly: ticked though it does not hold, or missing though it does."""
        return wrong in set(answer) ^ set(given)

    def mistaken(self, answer: Collection[str], wrong: str) -> frozenset[str]:
        """Judge one option wrongly and all others rightly."""
        return frozenset(answer) ^ {wrong}

    def write(self, answer: Collection[str]) -> str:
        """Return the letters of the options."""
        return ", ".join(sorted(map(self.letter, answer)))

    def _read(self, value: object, language: str | None) -> frozenset[str]:
        return frozenset(map(self.option, parsing.letters(value, self.letters)))


@dataclass(frozen=True)
class Parts(Kind):
    """Several answers in one tuple, each of its own kind; the points are shared out equally.

    Args:
        parts: name -> kind, in the order of the tuple.
    """

    parts: Mapping[str, Kind]

    def form(self) -> str:
        """Say what the answer looks like."""
        different = {kind.form() for kind in self.parts.values()}
        if len(different) == 1:
            return _("a tuple of {count} parts, each {form}").format(count=len(self.parts), form=different.pop())
        forms = [f"({number}) {kind.form()}" for number, kind in enumerate(self.parts.values(), start=1)]
        return _("a tuple of {count} parts, {forms}").format(count=len(forms), forms=parsing.join(forms))

    def fits(self, name: str) -> str:
        """Return the check of the form as a Python expression."""
        each = [f"({kind.fits(f'{name}[{place}]')})" for place, kind in enumerate(self.parts.values())]
        return "\n    and ".join([f"isinstance({name}, (tuple, list)) and len({name}) == {len(self.parts)}", *each])

    def judge(self, answer: Sequence[Any], given: Sequence[Any]) -> Judgement:
        """Compare part by part; the shares add up."""
        judged = [kind.judge(wanted, got) for kind, wanted, got in zip(self.parts.values(), answer, given, strict=True)]
        return Judgement(sum(part.fraction for part in judged) / len(judged))

    def write(self, answer: Sequence[Any]) -> object:
        """Return the answers of all parts as one tuple."""
        return tuple(kind.write(part) for kind, part in zip(self.parts.values(), answer, strict=True))

    def split(self, value: object) -> tuple[Any, ...]:
        """Take an answer apart without reading the parts.

        Args:
            value: what stands in the variable or was typed.

        Returns:
            One unread value per part.

        Raises:
            Malformed: it has another number of parts.
        """
        try:
            return parsing.parts(value, len(self.parts))
        except Malformed as error:
            raise self.malformed(str(error)) from None

    def arranged(self, order: Mapping[str, Sequence[str]]) -> Parts:
        """Return the parts with their options in the order of one variant."""
        return Parts({name: kind.arranged(order) for name, kind in self.parts.items()})

    def _read(self, value: object, language: str | None) -> tuple[Any, ...]:
        return tuple(
            kind.parse(part, language)
            for kind, part in zip(self.parts.values(), parsing.parts(value, len(self.parts)), strict=True)
        )
