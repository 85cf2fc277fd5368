"""Grade one answer to one question, and say which part is off and what was probably thought."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from headcheck.i18n import _
from headcheck.quiz import parsing
from headcheck.quiz.kinds import Kind, Parts
from headcheck.quiz.parsing import Malformed

if TYPE_CHECKING:
    from headcheck.quiz.question import Params, Question, Wrong

State = Literal["correct", "partial", "incorrect", "malformed", "not_attempted"]


@dataclass(frozen=True)
class Grade:
    """The outcome of one answer.

    Args:
        fraction: share of the points, 0 to 1.
        state: `malformed` means that (a part of) the answer could not be read, which is not the same as wrong.
        message: sentences for the student; they never hold the right answer.
        mistakes: ids of the mistakes and misconceptions that lead to this answer.
    """

    fraction: float
    state: State
    message: str
    mistakes: tuple[str, ...] = ()


def grade(question: Question, params: Params, value: object, language: str | None = None) -> Grade:
    """Grade an answer.

    Args:
        question: what was asked.
        params: the variant; `question.lesson` for the lesson's own numbers.
        value: what stands in the answer's variable or was typed; anything at all.
        language: of the person; None for English sentences and numbers whose way of writing is not known.

    Returns:
        The grade; every value gives one.
    """
    kind, answer = question.arranged(params), question.answer(params)
    if isinstance(kind, Parts):
        return _grade_parts(question, kind, answer, params, value, language)
    return _grade_one(question, kind, "", answer, params, value, language)


def _grade_one(
    question: Question, kind: Kind, part: str, answer: Any, params: Params, value: object, language: str | None
) -> Grade:
    if parsing.is_blank(value):
        return _not_attempted()
    try:
        given = kind.parse(value, language)
    except Malformed as error:
        return _malformed(error)
    judged = kind.judge(answer, given)
    if judged.fraction == 1:
        return Grade(1.0, "correct", _("Right."))
    named = [wrong for wrong in question.wrong if wrong.part == part and kind.shows(answer, wrong.value(params), given)]
    if not named and (seen := kind.unfit(given)):
        return _malformed(kind.malformed(seen))
    state: State = "partial" if judged.fraction else "incorrect"
    mistakes = tuple(wrong.id for wrong in named) or ((judged.mistake,) if judged.mistake else ())
    return Grade(judged.fraction, state, _sentences(question, judged.remark, named, params, language), mistakes)


def _not_attempted() -> Grade:
    return Grade(0.0, "not_attempted", _("Not answered yet."))


def _malformed(error: Malformed) -> Grade:
    message = _("This could not be read, so it was not judged: {error}.").format(error=error)
    return Grade(0.0, "malformed", message)


def _sentences(question: Question, remark: str, named: list[Wrong], params: Params, language: str | None) -> str:
    """Join where it is off with what was probably done; several explanations of one value are all told."""
    told = [question.sentence(wrong, params, language or "en") for wrong in named]
    if len(told) > 1:
        told = [_("More than one mistake gives this answer."), *told]
    return " ".join([remark, *told])


def _grade_parts(
    question: Question, kind: Parts, answer: Any, params: Params, value: object, language: str | None
) -> Grade:
    if parsing.is_blank(value):
        return _not_attempted()
    try:
        values = kind.split(value)
    except Malformed as error:
        return _malformed(error)
    grades = [
        _grade_one(question, each, name, wanted, params, got, language)
        for (name, each), wanted, got in zip(kind.parts.items(), answer, values, strict=True)
    ]
    return _together(grades)


def _together(grades: list[Grade]) -> Grade:
    """Share the points out over the parts; one unreadable part makes the answer malformed, the others still count."""
    states = {grade.state for grade in grades}
    if len(states) == 1 and states <= {"correct", "not_attempted"}:
        return grades[0]
    fraction = sum(grade.fraction for grade in grades) / len(grades)
    state: State = "malformed" if "malformed" in states else ("partial" if fraction else "incorrect")
    lines = [
        _("Part {number}: {message}").format(number=number, message=grade.message)
        for number, grade in enumerate(grades, start=1)
    ]
    mistakes = dict.fromkeys(mistake for grade in grades for mistake in grade.mistakes)
    return Grade(fraction, state, "\n".join(lines), tuple(mistakes))
