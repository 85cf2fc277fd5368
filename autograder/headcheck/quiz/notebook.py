"""What a question becomes in a notebook: a prompt, an answer cell with a stub, and a check of the answer's form."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from headcheck.i18n import _
from headcheck.quiz.kinds import Kind, Options, Parts
from headcheck.quiz.question import Params, Question


@dataclass(frozen=True)
class QuestionCells:
    """The sources of the three cells of a question.

    Args:
        prompt: Markdown of the read-only cell that asks.
        solution: code of the answer cell: the computed model answer, and the stub that students get in its place.
        check: code of the visible check; it needs nothing but Python and tells the form only, never right or wrong.
    """

    prompt: str
    solution: str
    check: str


def question_cells(
    question: Question, params: Params | None = None, points: float | None = None, language: str = "en"
) -> QuestionCells:
    """Expand a question.

    Args:
        question: what is asked.
        params: the variant; None takes the lesson's own numbers.
        points: shown in the heading, when given.
        language: language of the prompt.

    Returns:
        The sources of its cells.

    Raises:
        UsageError: a text of the question is missing.
    """
    question.check_texts()
    chosen = question.lesson if params is None else params
    return QuestionCells(
        prompt=_prompt(question, chosen, points, language),
        solution=_solution(question, chosen),
        check=_check(question, chosen),
    )


def _prompt(question: Question, params: Params, points: float | None, language: str) -> str:
    kind = question.arranged(params)
    blocks = [_heading(question, params, points, language), question.prompt(params, language)]
    if isinstance(kind, Parts):
        for number, (name, each) in enumerate(kind.parts.items(), start=1):
            blocks.append(f"**({number})** {question.part_label(name, params, language)}")
            blocks += _options(question, each, params, language)
    blocks += _options(question, kind, params, language)
    blocks.append(_("*Answer form:* {form}.").format(form=_form_with_pattern(question, kind)))
    return "\n\n".join(blocks)


def _form_with_pattern(question: Question, kind: Kind) -> str:
    if not isinstance(kind, Parts):
        return kind.form()
    return _("{form}: `{question} = ({places})`").format(
        form=kind.form(), question=question.id, places=", ".join("…" for _part in kind.parts)
    )


def _heading(question: Question, params: Params, points: float | None, language: str) -> str:
    title = question.title(params, language)
    heading = _("### Question {number} · {title}").format(number=question.number, title=title)
    if points is None:
        return heading
    worth = _("1 point") if points == 1 else _("{points} points").format(points=f"{points:g}")
    return f"{heading} ({worth})"


def _options(question: Question, kind: Kind, params: Params, language: str) -> list[str]:
    if not isinstance(kind, Options):
        return []
    lines = [f"- **{letter})** {text}" for letter, text in question.options(kind, params, language)]
    return ["\n".join(lines)]


def _solution(question: Question, params: Params) -> str:
    return textwrap.dedent(
        f"""\
        ### BEGIN SOLUTION
        {question.id} = {question.written_answer(params)!r}
        ### STUB
        # {question.id} = None
        ### END SOLUTION"""
    )


_CHECK = """\
# Looks at the form of your answer only, not at its value.
if {id} is None:
    print({blank!r})
elif {fits}:
    print({fine!r})
else:
    print({odd!r}, repr({id})[:80])"""


def _check(question: Question, params: Params) -> str:
    kind = question.arranged(params)
    fits = kind.fits(question.id)
    return _CHECK.format(
        id=question.id,
        fits=f"(\n    {fits}\n)" if "\n" in fits else fits,
        blank=_("{question}: not answered yet").format(question=question.id),
        fine=_("{question}: the form is right; the grader will look at the value").format(question=question.id),
        odd=_("{question}: the form asked for is {form}. The grader will try to read this all the same:").format(
            question=question.id, form=kind.form()
        ),
    )
