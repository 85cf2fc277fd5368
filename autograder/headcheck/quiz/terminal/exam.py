"""An exam in the terminal: a number of questions, one try each, nothing told before the end."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from headcheck.errors import UsageError
from headcheck.i18n import _
from headcheck.quiz.bank import Bank, variant
from headcheck.quiz.progress import Answer, Exam, Progress, Store, now
from headcheck.quiz.question import Params, Question
from headcheck.quiz.terminal.practice import record
from headcheck.quiz.terminal.screen import GIVE_UP, STOP, Asking, Screen, Stopped, explain, value_of
from headcheck.quiz.terminal.text import readable


class Examination:
    """One exam; an interrupted one goes on where it stopped.

    Args:
        screen: where to.
        bank: the bank.
        store: where the progress is kept.
        topic: only questions of this topic; None for all.
        count: how many questions.

    Raises:
        UsageError: there are not so many.
    """

    def __init__(self, screen: Screen, bank: Bank, store: Store, topic: str | None, count: int) -> None:
        self.screen, self.store = screen, store
        self.questions = {question.id: question for question in bank.about(topic)}
        self.count = count
        if count > len(self.questions):
            raise UsageError(
                _("an exam of {count} questions is asked for, but there are only {have}").format(
                    count=count, have=len(self.questions)
                )
            )

    def run(self) -> None:
        """Ask what is not answered yet, then tell the score and explain what was not right."""
        given_up = self.store.change().exam
        progress = self.store.change(self._begin)
        exam = progress.exam
        assert exam is not None
        if given_up and given_up != exam:
            self.screen.line(_("Your unfinished exam of another kind is given up; its answers are kept."), "yellow")
        self._greet(exam, progress)
        try:
            for place, name in enumerate(exam.questions, start=1):
                if name not in _answered(progress, exam):
                    progress = self._ask(place, self.questions[name], progress, exam)
        except Stopped:
            self._kept(progress, exam)
        except KeyboardInterrupt:
            self._kept(progress, exam)
            raise
        else:
            self.store.change(lambda progress: replace(progress, exam=None))
            self._result(progress, exam)

    def _begin(self, progress: Progress) -> Progress:
        if progress.exam and self._fits(progress.exam):
            return progress
        chosen = random.SystemRandom().sample(list(self.questions), self.count)
        return replace(progress, exam=Exam(now().isoformat(), tuple(chosen)))

    def _fits(self, exam: Exam) -> bool:
        return len(exam.questions) == self.count and set(exam.questions) <= set(self.questions)

    def _greet(self, exam: Exam, progress: Progress) -> None:
        if done := len(_answered(progress, exam)):
            self.screen.line(
                _("Your exam goes on: {done} of {count} are answered.").format(done=done, count=self.count), "bold"
            )
        self.screen.line(
            _("One try each, and no hints. Type {give_up} to leave a question out, {stop} to stop.").format(
                give_up=GIVE_UP, stop=STOP
            ),
            "dim",
        )

    def _ask(self, place: int, question: Question, progress: Progress, exam: Exam) -> Progress:
        number = len(progress.of(question.id)) + 1
        params = variant(question, progress.person, number)
        self.screen.line()
        title = question.title(params, self.screen.language)
        self.screen.line(
            _("Question {place} of {count}: {title}").format(place=place, count=self.count, title=title), "bold cyan"
        )
        return record(
            self.store, question, number, Asking(self.screen, question, params, exam=True).ask(), exam.started
        )

    def _kept(self, progress: Progress, exam: Exam) -> None:
        self.screen.line()
        self.screen.line(
            _("{done} of {count} are answered and kept; the same command goes on.").format(
                done=len(_answered(progress, exam)), count=self.count
            ),
            "bold",
        )

    def _result(self, progress: Progress, exam: Exam) -> None:
        answers = _answered(progress, exam)
        score = sum(answer.score for answer in answers.values())
        self.screen.line()
        self.screen.line(
            _("Score: {score} of {count} ({percent} %)").format(
                score=f"{score:.4g}", count=self.count, percent=round(100 * score / self.count)
            ),
            "bold",
        )
        for place, name in enumerate(exam.questions, start=1):
            if answers[name].score < 1:
                self._review(place, self.questions[name], answers[name], progress.person)

    def _review(self, place: int, question: Question, answer: Answer, person: str) -> None:
        params = variant(question, person, answer.variant)
        self.screen.line()
        title = question.title(params, self.screen.language)
        self.screen.line(_("Question {place}: {title}").format(place=place, title=title), "bold cyan")
        self.screen.line(_remark(question, params, answer.given, self.screen.language), "red")
        explain(self.screen, question, params, right=False)


def _answered(progress: Progress, exam: Exam) -> dict[str, Answer]:
    """Return the answers of an exam; of two terminals that asked the same, the first counts."""
    mine = [answer for answer in progress.answers if answer.exam == exam.started]
    return {answer.question: answer for answer in reversed(mine)}


def _remark(question: Question, params: Params, given: Sequence[str], language: str) -> str:
    if not given:
        return _("Left out.")
    told = readable(question.grade(params, value_of(question, tuple(given)), language).message)
    return _("You answered {given}. {remark}").format(given="; ".join(given), remark=told)
