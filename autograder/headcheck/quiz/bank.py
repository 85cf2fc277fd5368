"""Practice without a class: finds the bank, draws variants, and remembers the mistakes of a notebook."""

from __future__ import annotations

import importlib
import random
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from headcheck.course.config import CONFIG_NAME, load_course, shipped_course
from headcheck.errors import UsageError
from headcheck.i18n import _
from headcheck.quiz.kinds import Parts
from headcheck.quiz.progress import Store, now
from headcheck.quiz.question import PRACTICE_SECRET, Params, Question, misconceptions, variant_seed
from headcheck.quiz.texts import Texts

BANK_FOLDER = Path("assignments", "quiz", "bank")

TRIES = 50
"""Draws per variant that is wanted, before a question counts as having no more."""


@dataclass(frozen=True)
class Bank:
    """The questions of a course.

    Args:
        questions: in the order of the bank.
        graded: ids of those that the graded notebook asks.
        names: names of the topics.
    """

    questions: tuple[Question, ...]
    graded: frozenset[str]
    names: Texts

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics, in the order of the bank."""
        return tuple(dict.fromkeys(question.topic for question in self.questions))

    def topic_name(self, topic: str, language: str) -> str:
        """Return what a topic is called."""
        return self.names.say(language, topic, values={})

    def about(self, topic: str | None) -> tuple[Question, ...]:
        """List the questions of a topic.

        Args:
            topic: the topic; None for all questions.

        Returns:
            At least one question.

        Raises:
            UsageError: there is no such topic.
        """
        if topic is not None and topic not in self.topics:
            raise UsageError(
                _("{topic!r} is not a topic of this quiz; it has: {topics}").format(
                    topic=topic, topics=", ".join(self.topics)
                )
            )
        return tuple(question for question in self.questions if topic in (None, question.topic))


def open_bank() -> Bank:
    """Load the bank of the course in the working folder, else of the course that is shipped with headcheck.

    Returns:
        The bank.

    Raises:
        UsageError: there is none, or it has an error.
    """
    for root in (Path.cwd(), shipped_course()):
        if root is not None and (root / CONFIG_NAME).is_file() and (root / BANK_FOLDER).is_dir():
            load_course(root.resolve()).make_importable()
            module = _load(root)
            return Bank(tuple(module.BANK.values()), frozenset(module.LESSON), module.TOPICS)
    raise UsageError(_("no question bank found: the questions come with a checkout of the course, see README.md"))


def _load(root: Path) -> ModuleType:
    """Import the bank; an author's slip ends in one line."""
    try:
        return importlib.import_module(".".join(BANK_FOLDER.parts))
    except UsageError:
        raise
    except Exception as error:
        raise UsageError(
            _("{folder}: the question bank cannot be loaded ({kind}: {reason})").format(
                folder=root / BANK_FOLDER, kind=type(error).__name__, reason=error
            )
        ) from error


def variant(question: Question, person: str, number: int) -> Params:
    """Draw a person's variant of a question.

    Args:
        question: the question.
        person: name or number of the person.
        number: which of the person's variants; the lesson's own is 0 and is never drawn here.

    Returns:
        The same parameters everywhere.
    """
    seed = variant_seed(PRACTICE_SECRET, f"{person}/{number}", question.id, question.version)
    return question.draw(random.Random(seed))


def published_variants(bank: Bank, question: Question, wanted: int) -> list[Params]:
    """Draw the variants of a question that may be given away with their answers (pages, decks, question banks).

    Args:
        bank: the bank.
        question: one of its questions.
        wanted: how many.

    Returns:
        So many variants with different numbers, or fewer when there are no more. The answers to the graded variant are
        in none of them, not even in a part; so a graded question is missing altogether when its numbers do not matter.
    """
    found: dict[str, Params] = {}
    for number in range(1, wanted * TRIES + 1):
        params = variant(question, "published", number)
        if question.id not in bank.graded or not _gives_away(question, params):
            found.setdefault(repr(sorted({**params, "order": ()}.items())), params)
        if len(found) == wanted:
            break
    return list(found.values())


def _gives_away(question: Question, params: Params) -> bool:
    """Say whether a variant has the answer of the graded one, in whole or in a part."""
    answers = question.answer(params), question.answer(question.lesson)
    if isinstance(question.kind, Parts):
        return any(ours == graded for ours, graded in zip(*answers, strict=True))
    return bool(answers[0] == answers[1])


def remember_mistakes(mistakes: Iterable[str]) -> str:
    """Bring the questions forward that are about mistakes named in a notebook. It never fails, being a side matter.

    Args:
        mistakes: ids of the mistakes.

    Returns:
        One line that tells what to practise; empty when no question fits or nothing can be kept.
    """
    found = set(mistakes)
    try:
        questions = [question for question in open_bank().questions if found & set(misconceptions(question))]
        if not questions:
            return ""
        known = found & {mistake for question in questions for mistake in misconceptions(question)}
        Store().change(lambda progress: progress.with_mistakes(sorted(known), now()))
    except UsageError:
        return ""
    topics = [question.topic for question in questions]
    return _("Practise this: headcheck quiz --topic {topic}").format(topic=max(topics, key=topics.count))
