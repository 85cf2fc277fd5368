"""Turns the outcomes of a task's hidden tests into its verdict: points, state, one best message."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from headcheck.course.assignment import Task
from headcheck.course.config import Hints
from headcheck.course.submission import Submission
from headcheck.diagnosis.bank import Mistake
from headcheck.grading.checks import Mismatch, WrongAnswer
from headcheck.grading.diagnose import Diagnosis, diagnose_safely
from headcheck.grading.messages import folded, lead, sentence
from headcheck.grading.session import Outcome
from headcheck.grading.verdict import CellOutput, Divergence, State, TaskVerdict
from headcheck.grading.words import failure_words
from headcheck.i18n import _
from headcheck.jail.errors import CallTimeout, ChildDied, NotDefined, StudentError, StudentFailure


def judge_task(
    task: Task,
    outcomes: Sequence[Outcome],
    submission: Submission,
    bank: Mapping[str, Mistake],
    answer: CellOutput | None = None,
    hints: Hints = "full",
    alive: bool = False,
) -> TaskVerdict:
    """Judge one task of one submission.

    Args:
        task: the task.
        outcomes: of its hidden tests.
        submission: the submission.
        bank: known mistakes.
        answer: how the answer cell itself ended, when it ran.
        hints: how much the student is told; the verdict's `mistakes` are complete whatever it is.
        alive: whether the student's process can still be asked for the steps of a call.

    Returns:
        Its verdict.
    """
    if task.manual:
        return _manual(task, submission)
    failed = [outcome for outcome in outcomes if outcome.error is not None]
    score = sum(outcome.test.points * _share(outcome) for outcome in outcomes)
    if not failed:
        return _correct(task, score, outcomes, bank, hints)
    untouched = task.name in submission.unchanged or task.name in submission.missing
    if untouched:
        score = 0.0
    found = diagnose_safely(task.name, outcomes, bank, alive)
    messages = _messages(failed, found)
    if answer is not None and answer.error_name and any(isinstance(o.error, NotDefined) for o in failed):
        messages.insert(0, _("The cell did not run to its end: {error}.").format(error=answer.error_name))
    if untouched and not _unanswered(failed):
        messages[0] = " ".join([_untouched_message(task, submission), messages[0]])
    return TaskVerdict(
        task=task.name,
        score=score,
        max_score=task.points,
        state=_state(score, untouched, failed),
        message=lead(messages[0], found, hints),
        mistakes=_ids(failed, found),
        divergence=Divergence(found.place.stage, found.place.cell, found.place.line) if found.place else None,
        details=(*folded(found, hints), *messages[1:]),
        named=hints == "full",
    )


def _correct(
    task: Task, score: float, outcomes: Sequence[Outcome], bank: Mapping[str, Mistake], hints: Hints
) -> TaskVerdict:
    """Give full points, with advice on what is right here and would fail elsewhere."""
    advice = [bank[name] for name in dict.fromkeys(name for o in outcomes for name in o.advice) if name in bank]
    return TaskVerdict(
        task=task.name,
        score=score,
        max_score=task.points,
        state="correct",
        message=_("Everything is right."),
        mistakes=tuple(mistake.id for mistake in advice),
        details=tuple(
            _("Advice: {name}. {explanation}").format(name=_(mistake.name), explanation=_(mistake.explanation))
            for mistake in advice
        ),
        named=hints == "full",
    )


def _manual(task: Task, submission: Submission) -> TaskVerdict:
    if task.name in submission.missing or task.name in submission.unchanged:
        return TaskVerdict(task.name, 0, task.points, "not_attempted", _("No answer was written."))
    return TaskVerdict(task.name, 0, task.points, "manual", _("This answer is read and graded by a person."))


def _share(outcome: Outcome) -> float:
    """What part of a test's points was earned; only a check of the trusted process can say more than 0."""
    if outcome.error is None:
        return 1.0
    if isinstance(outcome.error, WrongAnswer):
        share = float(outcome.error.fraction)
        return 0.0 if math.isnan(share) else min(max(share, 0.0), 1.0)
    return 0.0


def _ids(failed: Sequence[Outcome], found: Diagnosis) -> tuple[str, ...]:
    said = [m for o in failed if isinstance(o.error, WrongAnswer) for m in o.error.mistakes]
    return tuple(dict.fromkeys([*found.ids, *said]))


def _state(score: float, untouched: bool, failed: Sequence[Outcome]) -> State:
    if untouched:
        return "not_attempted"
    errors = [outcome.error for outcome in failed]
    if any(isinstance(error, CallTimeout) for error in errors):
        return "timeout"
    if any(isinstance(error, ChildDied) for error in errors):
        return "error"
    if score > 0:
        return "partial"
    if _unanswered(failed):
        return "not_attempted"
    if any(isinstance(error, WrongAnswer) and error.state == "malformed" for error in errors):
        return "error"
    crashed = (
        isinstance(e, StudentFailure) or (isinstance(e, Mismatch) and isinstance(e.got, StudentError)) for e in errors
    )
    return "error" if any(crashed) else "incorrect"


def _messages(failed: Sequence[Outcome], found: Diagnosis) -> list[str]:
    """One message per failed test, none twice: what diagnosis speaks about first, then what cost most."""
    ordered = sorted(failed, key=lambda o: (bool(found.ways) and not isinstance(o.error, Mismatch), -o.test.points))
    return list(dict.fromkeys(_message(outcome) for outcome in ordered))


def _message(outcome: Outcome) -> str:
    error = outcome.error
    if isinstance(error, WrongAnswer):
        return sentence(error.message)
    if isinstance(error, StudentFailure):
        words = failure_words(error)
        return sentence(words[:1].upper() + words[1:])
    if isinstance(error, AssertionError):
        return _("A hidden test failed.")
    return _("The hidden test itself stopped with {error}; please tell your instructor.").format(
        error=type(error).__name__
    )


def _untouched_message(task: Task, submission: Submission) -> str:
    if task.name in submission.missing:
        return _("The cell {task} is missing from the notebook.").format(task=task.name)
    return _("This cell is as you got it.")


def _unanswered(failed: Sequence[Outcome]) -> bool:
    """Tell whether the hidden tests themselves found that there is no answer yet."""
    return all(isinstance(o.error, WrongAnswer) and o.error.state == "not_attempted" for o in failed)
