"""The screen of the quiz in a terminal: asks one question, by plain lines that work in a pipe and a Windows console."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console

from headcheck.i18n import _
from headcheck.quiz.grading import Grade
from headcheck.quiz.items import Item
from headcheck.quiz.kinds import Kind, Options, Parts
from headcheck.quiz.parsing import Malformed, is_blank
from headcheck.quiz.question import Params, Question
from headcheck.quiz.terminal.text import readable

HINT, GIVE_UP, STOP = "?", ".", "q"
TRIES = 2


class Stopped(Exception):
    """The person has typed `q` or closed the input."""


class GaveUp(Exception):
    """The person wants to see the answer."""


class Screen:
    """Lines out, lines in.

    Args:
        plain: no colours, no boxes, texts as they are.
        language: language of the texts of the bank.
    """

    def __init__(self, plain: bool = False, language: str = "en") -> None:
        for stream in (sys.stdin, sys.stdout):
            if reconfigure := getattr(stream, "reconfigure", None):
                reconfigure(errors="replace")  # a console that lacks a sign shows "?" and goes on
        self.console = Console(no_color=plain or None, highlight=False, emoji=False, soft_wrap=True)
        self.plain = plain or not self.console.is_terminal
        self.language = language

    def line(self, text: str = "", style: str = "") -> None:
        """Print one line of the interface."""
        self.console.print(text, style="" if self.plain else style, markup=False)

    def text(self, markdown: str, style: str = "") -> None:
        """Print a text of the bank."""
        if self.plain:
            self.line(readable(markdown))
            return
        from rich.markdown import Markdown

        self.console.print(Markdown(readable(markdown), style=style or "none"), soft_wrap=False)

    def read(self) -> str:
        """Read one line.

        Returns:
            What was typed, without blanks at the ends.

        Raises:
            Stopped: `q`, or the end of the input.
        """
        try:
            typed = input("> ").strip()
        except EOFError:
            self.line()
            raise Stopped from None
        if not sys.stdin.isatty():
            self.line(typed)  # nobody has seen it yet
        if typed.lower() == STOP:
            raise Stopped
        return typed


@dataclass
class Outcome:
    """How one question went.

    Args:
        given: the last answer as it was typed, one text per part; empty after giving up.
        grade: the grade of the last answer; None after giving up.
        tries: answers that could be read.
        hinted: the hint was shown.
        mistakes: misconceptions that showed in any of the tries.
    """

    given: tuple[str, ...] = ()
    grade: Grade | None = None
    tries: int = 0
    hinted: bool = False
    mistakes: dict[str, None] = field(default_factory=dict)

    @property
    def right(self) -> bool:
        """Whether the last answer was right."""
        return self.grade is not None and self.grade.state == "correct"


def value_of(question: Question, given: tuple[str, ...]) -> object:
    """Return what was typed in the form that `Question.grade` takes."""
    return given if isinstance(question.kind, Parts) else "".join(given)


class Asking:
    """One question on the screen.

    Args:
        screen: where to.
        question: the question.
        params: its variant.
        tries: how often an answer may be wrong.
        exam: neither hints nor remarks are given.
    """

    def __init__(self, screen: Screen, question: Question, params: Params, tries: int = TRIES, exam: bool = False):
        self.screen, self.question, self.params = screen, question, params
        self.tries = 1 if exam else tries
        self.exam = exam
        self.outcome = Outcome()

    def ask(self) -> Outcome:
        """Ask until the answer is right, the tries are used up, or the person gives up.

        Returns:
            How it went.

        Raises:
            Stopped: the person wants to stop; the question counts as not asked.
        """
        self.screen.text(self.question.prompt(self.params, self.screen.language))
        try:
            while self.outcome.tries < self.tries and not self.outcome.right:
                self._try()
        except GaveUp:
            self.outcome.given, self.outcome.grade = (), None
        return self.outcome

    def _try(self) -> None:
        given = self._answers()
        grade = self.question.grade(self.params, value_of(self.question, given), self.screen.language)
        if grade.state in ("malformed", "not_attempted"):
            self.screen.line(grade.message, "yellow")
            return
        self.outcome.tries += 1
        self.outcome.given, self.outcome.grade = given, grade
        self.outcome.mistakes |= dict.fromkeys(grade.mistakes)
        if not self.exam:
            for line in grade.message.splitlines():
                self.screen.text(line, "green" if self.outcome.right else "red")
            if not self.outcome.right and self.outcome.tries < self.tries:
                self.screen.line(_("Try once more."), "yellow")

    def _answers(self) -> tuple[str, ...]:
        kind = self.question.arranged(self.params)
        if not isinstance(kind, Parts):
            return (self._answer(kind),)
        kept = self._right_parts(kind)
        return tuple(
            kept[name] if name in kept else self._part(number, name, each)
            for number, (name, each) in enumerate(kind.parts.items(), start=1)
        )

    def _right_parts(self, kind: Parts) -> Mapping[str, str]:
        """Return the parts that were right in the last try, as they were typed: nobody types them twice."""
        if not self.outcome.given:
            return {}
        answers = self.question.answer(self.params)
        parts = zip(kind.parts.items(), answers, self.outcome.given, strict=True)
        return {
            name: text for (name, each), answer, text in parts if _is_right(each, answer, text, self.screen.language)
        }

    def _part(self, number: int, name: str, kind: Kind) -> str:
        label = self.question.part_label(name, self.params, self.screen.language)
        self.screen.text(f"**({number})** {label}" if not self.screen.plain else f"({number}) {label}")
        return self._answer(kind)

    def _answer(self, kind: Kind) -> str:
        if isinstance(kind, Options):
            for letter, text in self.question.options(kind, self.params, self.screen.language):
                self.screen.text(f"{letter}) {text}")
        self.screen.line(_("Answer form: {form}.").format(form=kind.form()), "dim")
        while True:
            typed = self._word()
            try:
                kind.parse(typed, self.screen.language)
            except Malformed as error:
                self.screen.line(_("This could not be read and costs no try: {error}.").format(error=error), "yellow")
            else:
                return typed

    def _word(self) -> str:
        """Read a line that is meant as an answer; serve the other wishes."""
        while True:
            typed = self.screen.read()
            if typed == GIVE_UP:
                raise GaveUp
            if typed == HINT:
                self._hint()
            elif not is_blank(typed):
                return typed

    def _hint(self) -> None:
        if self.exam:
            self.screen.line(_("There are no hints in an exam."), "yellow")
            return
        self.outcome.hinted = True
        self.screen.text(_("Hint: {hint}").format(hint=self.question.hint(self.params, self.screen.language)))


def _is_right(kind: Kind, answer: Any, typed: str, language: str) -> bool:
    try:
        return kind.judge(answer, kind.parse(typed, language)).fraction == 1
    except Malformed:
        return False


def explain(screen: Screen, question: Question, params: Params, right: bool) -> None:
    """Show the right answer, the working, and where to read.

    Args:
        screen: where to.
        question: the question.
        params: its variant.
        right: the person has just given the right answer, so it need not be told.
    """
    item = Item(question, params, 0, screen.language)
    if not right:
        screen.line(_("The answer:"), "bold")
        for number, field in enumerate(item.fields, start=1):
            screen.text(f"({number}) {field.told}" if field.name else field.told)
    screen.text(item.explanation)
    screen.line(
        _("Read: {assignment}, {section}").format(assignment=question.read.assignment, section=question.read.title),
        "dim",
    )
