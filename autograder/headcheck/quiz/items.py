"""One variant of a question laid out for showing it anywhere: fields to fill in, answers, texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from headcheck.quiz.kinds import Choices, Integer, Kind, Number, Options, Parts, Shape
from headcheck.quiz.question import Params, Question, Wrong


@dataclass(frozen=True)
class Slip:
    """A wrong answer that has a name.

    Args:
        mistake: id of the misconception.
        value: the answer, as the bank computes it; for several choices the one option that is judged wrongly.
        text: the answer as a person would write it; for a choice the letter of the option.
        fraction: share that it earns all the same.
        sentence: what was probably done, Markdown.
    """

    mistake: str
    value: Any
    text: str
    fraction: float
    sentence: str


@dataclass(frozen=True)
class Field:
    """One thing to answer.

    Args:
        name: name of the part, "" when the question has only one field.
        label: what the part asks, Markdown; "" when the question has only one field.
        kind: kind of the answer, with the options in the order of the variant.
        right: the right answer, as the bank computes it.
        text: the right answer as a person would write it; for choices the letters.
        options: option -> its text, Markdown; in the order in which they are shown.
        slips: the named wrong answers.
    """

    name: str
    label: str
    kind: Kind
    right: Any
    text: str
    options: Mapping[str, str]
    slips: tuple[Slip, ...]

    @property
    def form(self) -> str:
        """What the answer looks like."""
        return self.kind.form()

    @property
    def lettered(self) -> list[tuple[str, str, str]]:
        """Letter, option and its text, Markdown; the explanation speaks of options by these letters."""
        if not isinstance(self.kind, Options):
            return []
        return [
            (letter, option, self.options[option])
            for letter, option in zip(self.kind.letters, self.options, strict=True)
        ]

    def is_right(self, option: str) -> bool:
        """Say whether an option holds."""
        return option in self.right if isinstance(self.kind, Choices) else bool(option == self.right)

    def sentence_about(self, option: str) -> str:
        """Return what is said about an option, "" when there is nothing to say."""
        return next((slip.sentence for slip in self.slips if slip.value == option), "")

    @property
    def told(self) -> str:
        """The right answer, Markdown: letters come with the texts of their options."""
        if not self.options:
            return self.text
        return "\n\n".join(f"{letter}) {text}" for letter, option, text in self.lettered if self.is_right(option))


@dataclass(frozen=True)
class Item:
    """One variant of a question in one language.

    Args:
        question: the question.
        params: the variant.
        number: number of the variant.
        language: language code.
    """

    question: Question
    params: Params
    number: int
    language: str

    @property
    def id(self) -> str:
        """A name that stays when texts or numbers change."""
        return f"{self.question.id}-{self.number}"

    @property
    def title(self) -> str:
        """The title."""
        return self.question.title(self.params, self.language)

    @property
    def prompt(self) -> str:
        """What is asked, Markdown, without options and parts."""
        return self.question.prompt(self.params, self.language)

    @property
    def hint(self) -> str:
        """A hint, Markdown."""
        return self.question.hint(self.params, self.language)

    @property
    def explanation(self) -> str:
        """The working, Markdown."""
        return self.question.explanation(self.params, self.language)

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """What is to be answered, in order."""
        kind, answer = self.question.arranged(self.params), self.question.answer(self.params)
        if not isinstance(kind, Parts):
            return (self._field("", kind, answer),)
        pairs = zip(kind.parts.items(), answer, strict=True)
        return tuple(self._field(name, each, right) for (name, each), right in pairs)

    def _field(self, name: str, kind: Kind, right: Any) -> Field:
        options: dict[str, str] = {}
        if isinstance(kind, Options):
            texts = self.question.options(kind, self.params, self.language)
            options = {option: text for option, (_letter, text) in zip(kind.options, texts, strict=True)}
        return Field(
            name=name,
            label=self.question.part_label(name, self.params, self.language) if name else "",
            kind=kind,
            right=right,
            text=written(kind, right),
            options=options,
            slips=tuple(self._slip(wrong, kind, right) for wrong in self.question.wrong if wrong.part == name),
        )

    def _slip(self, wrong: Wrong, kind: Kind, right: Any) -> Slip:
        value = wrong.value(self.params)
        given = kind.mistaken(right, value)
        return Slip(
            mistake=wrong.id,
            value=value,
            text=kind.letter(value) if isinstance(kind, Options) else written(kind, value),
            fraction=kind.judge(right, given).fraction,
            sentence=self.question.sentence(wrong, self.params, self.language),
        )


def written(kind: Kind, answer: Any) -> str:
    """Write an answer as short as a person would.

    Args:
        kind: its kind.
        answer: the answer, as the bank computes it.

    Returns:
        `16640`, `2.83`, `(4, 8, 10, 8)`, `b`, `a, c`.
    """
    if isinstance(kind, Number):
        return str(kind.write(round(float(answer), kind.decimals)))
    if isinstance(kind, Shape):
        return repr(tuple(answer))
    return str(kind.write(answer))


def spellings(kind: Kind, answer: Any) -> tuple[str, ...]:
    """List how people write an answer, for systems that compare letter by letter.

    Args:
        kind: its kind.
        answer: the answer, as the bank computes it.

    Returns:
        At least one text; the first is the plainest.
    """
    if isinstance(kind, Shape):
        sizes = [str(size) for size in answer]
        spaced, tight = ", ".join(sizes), ",".join(sizes)
        comma = "," if len(sizes) == 1 else ""
        bare = [spaced, tight, " ".join(sizes), "x".join(sizes)]
        bracketed = [f"({spaced}{comma})", f"({tight}{comma})", f"[{spaced}]", f"[{tight}]"]
        return tuple(dict.fromkeys([bracketed[0], *bare, *bracketed[1:], f"torch.Size([{spaced}])"]))
    text = written(kind, answer)
    if isinstance(kind, Integer) and answer >= 1000:
        return (text, f"{answer:,}", f"{answer:,}".replace(",", " "), f"{answer:_}")
    if isinstance(kind, Number) and "." in text:
        more = {f"{float(answer):.{digits}f}" for digits in range(kind.decimals, kind.decimals + 3)}
        return tuple(dict.fromkeys([text, *sorted(more), text.replace(".", ",")]))
    return (text,)
