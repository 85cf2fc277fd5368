"""A sitting in the terminal: questions that are due, forgotten or new, one after the other."""

from __future__ import annotations

from collections.abc import Sequence

from headcheck.i18n import N_, _
from headcheck.quiz.bank import Bank, variant
from headcheck.quiz.progress import Answer, Progress, Rating, Store, now
from headcheck.quiz.question import Question
from headcheck.quiz.schedule import Why, comes_back_soon, due_after, next_question
from headcheck.quiz.terminal.screen import GIVE_UP, HINT, STOP, Asking, Outcome, Screen, Stopped, explain

REASONS: dict[Why, str] = {
    "mistake": N_("a mistake in your notebook is about this"),
    "due": N_("to be repeated"),
    "new": N_("new"),
    "later": N_("before its time"),
}


def rating_of(outcome: Outcome) -> Rating:
    """Say how well a question was known."""
    if not outcome.right:
        return "again"
    return "hard" if outcome.hinted or outcome.tries > 1 else "good"


def record(store: Store, question: Question, number: int, outcome: Outcome, exam: str = "") -> Progress:
    """Write an answer down.

    Args:
        store: where to.
        question: what was asked.
        number: number of the variant.
        outcome: how it went.
        exam: start of the exam it belongs to.

    Returns:
        The progress, with this answer.
    """

    def action(progress: Progress) -> Progress:
        when, rating = now(), rating_of(outcome)
        return progress.with_answer(
            Answer(
                question=question.id,
                variant=number,
                given=outcome.given,
                score=outcome.grade.fraction if outcome.grade else 0.0,
                rating=rating,
                mistakes=tuple(outcome.mistakes),
                time=when,
                due=due_after(progress.of(question.id), rating, when),
                exam=exam,
            )
        )

    return store.change(action)


class Sitting:
    """Practice until nothing is left for today, or the person stops.

    Args:
        screen: where to.
        bank: the bank.
        store: where the progress is kept.
        topic: only questions of this topic, also before their time; None for all.
        only_new: only questions that were never asked.
    """

    def __init__(self, screen: Screen, bank: Bank, store: Store, topic: str | None, only_new: bool) -> None:
        self.screen, self.bank, self.store = screen, bank, store
        self.questions: Sequence[Question] = bank.about(topic)
        self.topic, self.only_new = topic, only_new
        self.asked: list[str] = []
        self.right = 0

    def run(self) -> None:
        """Ask one question after the other."""
        progress = self.store.change()
        self.screen.line(
            _("Type {hint} for a hint, {give_up} to see the answer, {stop} to stop.").format(
                hint=HINT, give_up=GIVE_UP, stop=STOP
            ),
            "dim",
        )
        if any(question.texts.unchecked(self.screen.language) for question in self.questions):
            self.screen.line(_("No native reader has checked this translation yet."), "dim")
        try:
            while chosen := self._choose(progress):
                progress = self._ask(*chosen, progress)
        except Stopped:
            pass
        except KeyboardInterrupt:
            self._sum_up()
            raise
        else:
            self._nothing_left(progress)
        self._sum_up()

    def _choose(self, progress: Progress) -> tuple[Question, Why] | None:
        when, last = now(), progress.last()

        def soon(question: Question, why: Why) -> bool:
            return question.id in self.asked and comes_back_soon(question, last, when)

        def untimely(question: Question, why: Why) -> bool:
            return self.topic is not None and not self.only_new and question.id not in self.asked

        for wanted in (self._timely, soon, untimely):
            if found := next_question(self.questions, progress, when, wanted):
                return found
        return None

    def _timely(self, question: Question, why: Why) -> bool:
        if self.only_new:
            return why == "new" or (why == "due" and question.id in self.asked)
        return why != "later"

    def _ask(self, question: Question, why: Why, progress: Progress) -> Progress:
        number = len(progress.of(question.id)) + 1
        params = variant(question, progress.person, number)
        self.screen.line()
        topic = self.bank.topic_name(question.topic, self.screen.language)
        title = question.title(params, self.screen.language)
        self.screen.line(
            _("{count}. {title} ({topic}; {why})").format(
                count=len(self.asked) + 1, title=title, topic=topic, why=_(REASONS[why])
            ),
            "bold cyan",
        )
        outcome = Asking(self.screen, question, params).ask()
        progress = record(self.store, question, number, outcome)
        self.asked.append(question.id)
        self.right += outcome.right
        explain(self.screen, question, params, outcome.right)
        return progress

    def _nothing_left(self, progress: Progress) -> None:
        self.screen.line()
        if self.only_new:
            self.screen.line(_("There are no new questions left."))
            return
        dues = [answer.due for answer in progress.last().values()]
        if dues and self.topic is None:
            self.screen.line(
                _("That is all for now; the next question is due on {day}. Practise more with --topic.").format(
                    day=f"{min(dues).astimezone():%Y-%m-%d %H:%M}"
                )
            )

    def _sum_up(self) -> None:
        self.screen.line()
        if self.asked:
            self.screen.line(
                _("{right} of {count} right. Your progress is kept; go on at any time with headcheck quiz.").format(
                    right=self.right, count=len(self.asked)
                ),
                "bold",
            )
