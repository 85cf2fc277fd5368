"""What a question is: numbers that can be drawn, the answer computed from them, and the wrong answers people give."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from headcheck.errors import UsageError
from headcheck.i18n import _
from headcheck.quiz.grading import Grade, grade
from headcheck.quiz.kinds import Choice, Kind, Parts
from headcheck.quiz.texts import LANGUAGES, Texts

Params = Mapping[str, Any]
"""The numbers of one variant, JSON-able. `order` maps the name of a choice to the order of its options."""


def _nothing_more(params: Params) -> Params:
    return {}


@dataclass(frozen=True)
class Wrong:
    """A wrong answer that has a name.

    Args:
        id: id of a mistake of the mistake bank, or of a misconception; a sentence about it stands in the texts.
        value: parameters -> the value that somebody with this misconception gives.
        part: name of the part of the answer that it is about; empty when the answer has no parts.
    """

    id: str
    value: Callable[[Params], Any]
    part: str = ""


def wrong_options(*options: str, part: str = "") -> tuple[Wrong, ...]:
    """Make named wrong answers of the options of a choice: the key of a wrong option is the id of its misconception."""

    def always(option: str) -> Callable[[Params], Any]:
        return lambda params: option

    return tuple(Wrong(option, always(option), part) for option in options)


@dataclass(frozen=True)
class Question:
    """One question of a bank.

    Args:
        id: `q01`; also the name of the answer's variable and of the task.
        topic: what it is about, one word.
        kind: kind of the answer.
        lesson: the parameters with which the lesson asks it (variant 0).
        generate: draws the parameters of another variant; its constraints hold by construction, nothing is rejected.
        answer: parameters -> the right answer (for parts: one value per part; for a choice: the key of the option).
        wrong: the wrong answers that have a name; none is ever the right answer.
        texts: the words.
        derived: parameters -> further values for places in the texts.
    """

    id: str
    topic: str
    kind: Kind
    lesson: Params
    generate: Callable[[random.Random], Params]
    answer: Callable[[Params], Any]
    wrong: tuple[Wrong, ...]
    texts: Texts
    derived: Callable[[Params], Params] = _nothing_more

    @property
    def number(self) -> int:
        """The number in the question's id."""
        return int("".join(filter(str.isdigit, self.id)))

    def draw(self, rng: random.Random) -> dict[str, Any]:
        """Draw a variant: other numbers, and the options of choices in another order.

        Args:
            rng: source of randomness; the same state gives the same variant.

        Returns:
            Parameters for all other methods.
        """
        order = {choice.name: rng.sample(choice.options, len(choice.options)) for choice in self._choices()}
        return {**self.generate(rng), **({"order": order} if order else {})}

    def arranged(self, params: Params) -> Kind:
        """Return the kind of the answer, with the options in the order of this variant."""
        return self.kind.arranged(params.get("order", {}))

    def parse(self, params: Params, value: object) -> Any:
        """Read an answer, whatever its spelling.

        Args:
            params: the variant.
            value: what stands in the answer's variable or was typed.

        Returns:
            The answer in the form in which the bank computes it.

        Raises:
            Malformed: it cannot be read; the text says what form is asked for and what was seen.
        """
        return self.arranged(params).parse(value)

    def grade(self, params: Params, value: object, language: str = "en") -> Grade:
        """Grade an answer; see `headcheck.quiz.grading.grade`."""
        return grade(self, params, value, language)

    def written_answer(self, params: Params) -> object:
        """Return the right answer as the plain Python value that a person would write."""
        return self.arranged(params).write(self.answer(params))

    def written_wrong(self, wrong: Wrong, params: Params) -> object:
        """Return a named wrong answer as a plain Python value; the other parts of the answer are right."""
        kind = self.arranged(params)
        if not isinstance(kind, Parts):
            return kind.write(wrong.value(params))
        values = dict(zip(kind.parts, self.answer(params), strict=True)) | {wrong.part: wrong.value(params)}
        return kind.write(tuple(values.values()))

    def title(self, params: Params, language: str = "en") -> str:
        """Return the title, without the number."""
        return self._say(language, "title", params=params)

    def prompt(self, params: Params, language: str = "en") -> str:
        """Return what is asked, as Markdown, without options and parts."""
        return self._say(language, "prompt", params=params)

    def part_label(self, part: str, params: Params, language: str = "en") -> str:
        """Return what one part of the answer is about."""
        return self._say(language, "parts", part, params=params)

    def options(self, choice: Choice, params: Params, language: str = "en") -> list[tuple[str, str]]:
        """List the options of a choice.

        Args:
            choice: the kind of the answer or of one of its parts, as `arranged` gives it.
            params: the variant.
            language: language code.

        Returns:
            Pairs of letter and text.
        """
        keys = ("options", choice.name) if choice.name else ("options",)
        texts = [self._say(language, *keys, option, params=params) for option in choice.options]
        return list(zip(choice.letters, texts, strict=True))

    def hint(self, params: Params, language: str = "en") -> str:
        """Return a hint that does not hold the answer."""
        return self._say(language, "hint", params=params)

    def explanation(self, params: Params, language: str = "en") -> str:
        """Return the working with the numbers of this variant; to be shown after an answer."""
        return self.texts.say(language, "explanation", values={**self._values(params), **self._answers(params)})

    def sentence(self, wrong: Wrong, params: Params, language: str = "en") -> str:
        """Return the sentence that says what was probably done."""
        return self._say(language, "wrong", wrong.id, params=params)

    def check_texts(self) -> None:
        """Demand that every text exists in every language and that all places can be filled.

        Raises:
            UsageError: one does not, or a text belongs to nothing.
        """
        parts = self.kind.parts if isinstance(self.kind, Parts) else {}
        for language in LANGUAGES:
            for tell in (self.title, self.prompt, self.hint, self.explanation):
                tell(self.lesson, language)
            for part in parts:
                self.part_label(part, self.lesson, language)
            for choice in self._choices():
                self.options(choice, self.lesson, language)
            for wrong in self.wrong:
                self.sentence(wrong, self.lesson, language)
        self.texts.forbid_others({"title", "prompt", "parts", "options", "hint", "explanation", "wrong"})
        self.texts.forbid_others({wrong.id for wrong in self.wrong}, "wrong")
        self.texts.forbid_others(parts, "parts")

    def _choices(self) -> list[Choice]:
        kinds = self.kind.parts.values() if isinstance(self.kind, Parts) else (self.kind,)
        return [kind for kind in kinds if isinstance(kind, Choice)]

    def _say(self, language: str, *keys: str, params: Params) -> str:
        return self.texts.say(language, *keys, values=self._values(params))

    def _values(self, params: Params) -> dict[str, Any]:
        return {**params, **self.derived(params)}

    def _answers(self, params: Params) -> dict[str, Any]:
        kind, answer = self.arranged(params), self.answer(params)
        if not isinstance(kind, Parts):
            return {"answer": kind.write(answer)}
        written = [each.write(part) for each, part in zip(kind.parts.values(), answer, strict=True)]
        return {f"answer_{name}": part for name, part in zip(kind.parts, written, strict=True)}


def make_bank(*questions: Question) -> dict[str, Question]:
    """Put questions into a bank.

    Args:
        questions: in the order in which they are asked.

    Returns:
        Id -> question.

    Raises:
        UsageError: an id stands twice, or a text is missing.
    """
    bank: dict[str, Question] = {}
    for question in questions:
        if question.id in bank:
            raise UsageError(_("question {question} stands twice in the bank").format(question=question.id))
        question.check_texts()
        bank[question.id] = question
    return bank
