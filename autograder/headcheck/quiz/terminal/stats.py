"""Statistics of the practice so far, topic by topic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from headcheck.i18n import _
from headcheck.quiz.bank import Bank
from headcheck.quiz.progress import Answer, Progress
from headcheck.quiz.question import Question
from headcheck.quiz.terminal.screen import Screen

FREQUENT = 3
"""So many misconceptions are named."""


@dataclass(frozen=True)
class TopicFigures:
    """Figures of one topic: its questions, those asked, answers given, answers right at once, questions due now."""

    topic: str
    questions: int
    asked: int
    answers: int
    at_once: int
    due: int


def figures(bank: Bank, progress: Progress, when: datetime) -> list[TopicFigures]:
    """Count what was practised.

    Args:
        bank: the bank.
        progress: the progress.
        when: now, for what is due.

    Returns:
        One entry per topic, in the order of the bank.
    """
    return [_figures(topic, bank.about(topic), progress, when) for topic in bank.topics]


def _figures(topic: str, questions: Sequence[Question], progress: Progress, when: datetime) -> TopicFigures:
    ids = {question.id for question in questions}
    answers = [answer for answer in progress.answers if answer.question in ids]
    latest: dict[str, Answer] = {answer.question: answer for answer in answers}
    return TopicFigures(
        topic=topic,
        questions=len(ids),
        asked=len(latest),
        answers=len(answers),
        at_once=sum(answer.rating == "good" for answer in answers),
        due=sum(answer.due <= when for answer in latest.values()),
    )


def show(screen: Screen, bank: Bank, progress: Progress, when: datetime) -> None:
    """Print the statistics.

    Args:
        screen: where to.
        bank: the bank.
        progress: the progress.
        when: now.
    """
    if not progress.answers:
        screen.line(_("Nothing practised yet; start with headcheck quiz."))
        return
    _table(screen, bank, figures(bank, progress, when))
    frequent = Counter(mistake for answer in progress.answers for mistake in answer.mistakes).most_common(FREQUENT)
    if frequent:
        named = ", ".join(f"{mistake} ({count})" for mistake, count in frequent)
        screen.line(_("Most frequent misconceptions: {named}").format(named=named))


def _table(screen: Screen, bank: Bank, rows: Sequence[TopicFigures]) -> None:
    from rich import box
    from rich.table import Table

    table = Table(box=None if screen.plain else box.SIMPLE)
    table.add_column(_("topic"))
    for heading in (_("questions asked"), _("answers"), _("right at once"), _("due now")):
        table.add_column(heading, justify="right")
    for row in rows:
        share = f"{100 * row.at_once / row.answers:.0f} %" if row.answers else "-"
        table.add_row(
            bank.topic_name(row.topic, screen.language),
            f"{row.asked}/{row.questions}",
            str(row.answers),
            share,
            str(row.due),
        )
    screen.console.print(table, soft_wrap=False)
