"""When a question should be asked again (spaced repetition by fsrs), and which one is next."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Literal

from headcheck.quiz.progress import Answer, Progress, Rating
from headcheck.quiz.question import Question, misconceptions

AGAIN_SOON = timedelta(minutes=1)
"""What was not known comes back in the same sitting, with other numbers."""

AHEAD = timedelta(minutes=3)
"""When nothing else is left, what comes back soon is asked at once."""

Why = Literal["mistake", "due", "new", "later"]
"""Why a question is asked: its misconception showed in a notebook; its time has come; never asked; only on request."""


def due_after(history: Sequence[Answer], rating: Rating, when: datetime) -> datetime:
    """Compute when a question should be asked again.

    Args:
        history: the earlier answers to this question, oldest first. Their ratings are replayed, so the state of a card
            is never stored, and a later version of fsrs can take over.
        rating: the rating of the answer given now.
        when: now.

    Returns:
        The moment at which nine of ten people would still know it.
    """
    from fsrs import Card, Scheduler
    from fsrs import Rating as Grade

    grades = {"again": Grade.Again, "hard": Grade.Hard, "good": Grade.Good}
    steps = (AGAIN_SOON,)
    scheduler = Scheduler(learning_steps=steps, relearning_steps=steps, enable_fuzzing=False)
    card = Card(card_id=1, due=when)
    for each, moment in [*((answer.rating, answer.time) for answer in history), (rating, when)]:
        card, _log = scheduler.review_card(card, grades[each], moment)
    return card.due.replace(microsecond=0)


def why_now(question: Question, progress: Progress, last: Mapping[str, Answer], when: datetime) -> Why:
    """Say for what reason a question would be asked now.

    Args:
        question: the question.
        progress: what was practised so far.
        last: question -> its latest answer, `progress.last()`.
        when: now.

    Returns:
        The strongest reason.
    """
    answer = last.get(question.id)
    found = [progress.mistakes[mistake] for mistake in misconceptions(question) if mistake in progress.mistakes]
    if found and (answer is None or answer.time < max(found)):
        return "mistake"
    if answer is None:
        return "new"
    return "due" if answer.due <= when else "later"


def next_question(
    questions: Collection[Question], progress: Progress, when: datetime, wanted: Callable[[Question, Why], bool]
) -> tuple[Question, Why] | None:
    """Choose the question to ask.

    Args:
        questions: those that may be asked, in the order of the bank.
        progress: what was practised so far.
        when: now.
        wanted: says whether a question may be asked for this reason.

    Returns:
        The question and the reason, or None when nothing is left for today.
    """
    last = progress.last()
    reasons = [(question, why_now(question, progress, last, when)) for question in questions]
    candidates = [(question, why) for question, why in reasons if wanted(question, why)]
    ranks: tuple[Why, ...] = ("mistake", "due", "new", "later")

    def rank(candidate: tuple[Question, Why]) -> tuple[int, datetime]:
        question, why = candidate
        return ranks.index(why), last[question.id].due if question.id in last else when

    return min(candidates, key=rank, default=None)


def comes_back_soon(question: Question, last: Mapping[str, Answer], when: datetime) -> bool:
    """Say whether a question was not known a moment ago and will come back in this sitting."""
    answer = last.get(question.id)
    return answer is not None and answer.rating != "good" and when < answer.due <= when + AHEAD
