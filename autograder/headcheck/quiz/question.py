"""What a question is: numbers that can be drawn, the answer computed from them, and the wrong answers people give."""

from __future__ import annotations

import hashlib
import hmac
import json
import random
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from headcheck.errors import UsageError
from headcheck.i18n import _
from headcheck.quiz.grading import Grade, grade
from headcheck.quiz.kinds import Kind, Options, Parts
from headcheck.quiz.texts import LANGUAGES, Texts

PRACTICE_SECRET = "practice"
"""Stands in for the secret where nobody is graded: everybody may know it."""

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
class Section:
    """Where in the course a question is answered: an assignment, and a heading of its notebook."""

    assignment: str
    title: str


@dataclass(frozen=True)
class Question:
    """One question of a bank.

    Args:
        id: `q01`; also the name of the answer's variable and of the task.
        topic: what it is about, one word out of a few.
        kind: kind of the answer.
        lesson: the parameters with which the lesson asks it (variant 0).
        generate: draws the parameters of another variant; its constraints hold by construction, nothing is rejected.
        answer: parameters -> the right answer (for parts: one value per part; for a choice: the key of the option; for
            several choices: the keys of all options that hold).
        wrong: the wrong answers that have a name; none is ever the right answer. For several choices: the key of an
            option that is judged wrongly.
        texts: the words.
        read: the section of the course to read.
        derived: parameters -> further values for places in the texts.
        mistakes: ids of further mistakes that people make who do not know what is asked here.
        version: to be raised when `generate` changes, so that nobody is graded on numbers that were never shown.
    """

    id: str
    topic: str
    kind: Kind
    lesson: Params
    generate: Callable[[random.Random], Params]
    answer: Callable[[Params], Any]
    wrong: tuple[Wrong, ...]
    texts: Texts
    read: Section
    derived: Callable[[Params], Params] = _nothing_more
    mistakes: tuple[str, ...] = ()
    version: int = 1

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
        order = {choice.name: rng.sample(choice.options, len(choice.options)) for choice in self.choices()}
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

    def grade(self, params: Params, value: object, language: str | None = None) -> Grade:
        """Grade an answer; see `headcheck.quiz.grading.grade`."""
        return grade(self, params, value, language)

    def written_answer(self, params: Params) -> object:
        """Return the right answer as the plain Python value that a person would write."""
        return self.arranged(params).write(self.answer(params))

    def written_wrong(self, wrong: Wrong, params: Params) -> object:
        """Return a named wrong answer as a plain Python value; the other parts of the answer are right."""
        kind = self.arranged(params)
        if not isinstance(kind, Parts):
            return kind.write(kind.mistaken(self.answer(params), wrong.value(params)))
        values = dict(zip(kind.parts, self.answer(params), strict=True))
        values[wrong.part] = kind.parts[wrong.part].mistaken(values[wrong.part], wrong.value(params))
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

    def options(self, choice: Options, params: Params, language: str = "en") -> list[tuple[str, str]]:
        """List the options of a choice.

        Args:
            choice: the kind of the answer or of one of its parts, as `arranged` gives it.
            params: the variant.
            language: language code.

        Returns:
            Pairs of letter and text.
        """
        keys = self._option_keys(choice)
        texts = [self._say(language, *keys, option, params=params) for option in choice.options]
        return list(zip(choice.letters, texts, strict=True))

    def hint(self, params: Params, language: str = "en") -> str:
        """Return a hint that does not hold the answer."""
        return self._say(language, "hint", params=params)

    def explanation(self, params: Params, language: str = "en") -> str:
        """Return the working with the numbers of this variant; to be shown after an answer."""
        return self.texts.say(language, "explanation", values=self.places(params))

    def places(self, params: Params) -> dict[str, Any]:
        """Return what fills the places of the texts: the drawn numbers, what follows from them, and the answers."""
        return {**self._values(params), **self._answers(params)}

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
            for choice in self.choices():
                self.options(choice, self.lesson, language)
            for wrong in self.wrong:
                self.sentence(wrong, self.lesson, language)
        self.texts.check_translations()
        self.texts.forbid_others({"title", "prompt", "parts", "options", "hint", "explanation", "wrong"})
        self.texts.forbid_others({wrong.id for wrong in self.wrong}, "wrong")
        self.texts.forbid_others(parts, "parts")
        for choice in self.choices():
            self.texts.forbid_others(choice.options, *self._option_keys(choice))

    def choices(self, params: Params | None = None) -> list[Options]:
        """List the parts of the answer that are chosen from options.

        Args:
            params: the variant in whose order the options stand; None for the bank's own order.

        Returns:
            Choices, in the order of the parts.
        """
        kind = self.kind if params is None else self.arranged(params)
        kinds = kind.parts.values() if isinstance(kind, Parts) else (kind,)
        return [each for each in kinds if isinstance(each, Options)]

    def _option_keys(self, choice: Options) -> tuple[str, ...]:
        return ("options", choice.name) if choice.name else ("options",)

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


def misconceptions(question: Question) -> tuple[str, ...]:
    """List the mistakes and misconceptions that a question is about.

    Args:
        question: a question of a bank.

    Returns:
        Ids, shared with the bank of mistakes in code wherever it has the same one: first those of the named wrong
        answers, then the further ones.
    """
    return tuple(dict.fromkeys([*(wrong.id for wrong in question.wrong), *question.mistakes]))


def variant_seed(secret: str, person: str, question: str, version: int) -> int:
    """Compute the seed of somebody's variant of a question, for `random.Random`.

    Args:
        secret: known to those who grade; without it nobody can tell what another person is asked.
        person: whose variant it is; a name may be spelt with composed or decomposed letters.
        question: id of the question.
        version: version of the question.

    Returns:
        The same integer on every machine and in every version of Python.
    """
    name = unicodedata.normalize("NFC", person)
    message = json.dumps([name, question, version]).encode("ascii")
    return int.from_bytes(hmac.digest(secret.encode("utf-8"), message, hashlib.sha256)[:8], "big")


def make_bank(*questions: Question) -> dict[str, Question]:
    """Put questions into a bank; their texts are read when they are first asked for.

    Args:
        questions: in the order in which they are asked.

    Returns:
        Id -> question.

    Raises:
        UsageError: an id stands twice.
    """
    bank: dict[str, Question] = {}
    for question in questions:
        if question.id in bank:
            raise UsageError(_("question {question} stands twice in the bank").format(question=question.id))
        bank[question.id] = question
    return bank
