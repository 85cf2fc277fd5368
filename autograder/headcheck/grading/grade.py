"""Grades one submission: repair, run in the jail, hidden tests, diagnosis, verdict."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from headcheck.course.assignment import Assignment, Task, load_assignment
from headcheck.course.config import Course
from headcheck.course.submission import Submission, read_or_stand_in
from headcheck.diagnosis.match import load_bank
from headcheck.errors import UsageError
from headcheck.grading.judge import judge_task
from headcheck.grading.prerequisites import depending
from headcheck.grading.process import StudentProcess
from headcheck.grading.session import HiddenTests, Outcome, hidden_tests
from headcheck.grading.verdict import TaskVerdict, Verdict
from headcheck.i18n import _
from headcheck.jail.client import Jail, Limits

T = TypeVar("T")

TRUST = "HEADCHECK_TRUST_SUBMISSIONS"
"""Variable that is 1 when `--trust-submissions` was said; nbgrader's commands take it as well."""


class Grader:
    """Grades submissions of one assignment, one after the other."""

    def __init__(self, course: Course, assignment: Assignment, jail: Jail, tests: HiddenTests) -> None:
        self.course, self.assignment = course, assignment
        self._jail, self._tests = jail, tests
        self._bank = load_bank(course)
        self._hints = course.hints_for(assignment.name)

    def grade_file(self, path: Path) -> Verdict:
        """Grade a notebook; a file that cannot be used becomes a verdict with the reason.

        Args:
            path: the submitted file.

        Returns:
            The verdict.

        Raises:
            JailUnavailable: the jail broke down; this says nothing about the submission.
        """
        return self.grade(read_or_stand_in(path, self.assignment), str(path))

    def grade(self, submission: Submission, notebook: str) -> Verdict:
        """Grade a submission.

        Args:
            submission: the repaired submission.
            notebook: its name, for the verdict.

        Returns:
            The verdict.

        Raises:
            JailUnavailable: the jail broke down; this says nothing about the submission.
        """
        if submission.unreadable:
            return self._unreadable(submission, notebook)
        self._jail.offer_files(self.course.source_file(self.assignment.name).parent)
        process = StudentProcess(self._jail, submission, self.course.limits_for(self.assignment.name))
        try:
            process.start()
            outcomes = self._tests.run(process)
            tasks = [self._judge(task, submission, outcomes, process) for task in self.assignment.tasks]
        finally:
            process.close()
        return Verdict(
            notebook=notebook,
            assignment=self.assignment.name,
            score=sum(task.score for task in tasks),
            max_score=self.assignment.max_score,
            isolation=self._jail.isolation,
            tasks=depending(tasks, self._tests.prerequisites, submission),
            notes=(*submission.notes, *_jail_notes(self._jail), *_process_notes(process)),
            outputs=process.outputs,
            memory_mb=process.memory_mb,
        )

    def _judge(
        self, task: Task, submission: Submission, outcomes: list[Outcome], process: StudentProcess
    ) -> TaskVerdict:
        its_own = [outcome for outcome in outcomes if outcome.test.task == task.name]
        index = next((i for i, c in enumerate(submission.cells) if c.kind == "solution" and c.id == task.name), -1)
        answer = process.outputs.get(index)
        return judge_task(task, its_own, submission, self._bank, answer, self._hints, process.alive)

    def _unreadable(self, submission: Submission, notebook: str) -> Verdict:
        message = _("The notebook could not be read: {reason}.").format(reason=submission.unreadable)
        tasks = tuple(TaskVerdict(task.name, 0, task.points, "error", message) for task in self.assignment.tasks)
        return Verdict(
            notebook=notebook,
            assignment=self.assignment.name,
            score=0,
            max_score=self.assignment.max_score,
            isolation=self._jail.isolation,
            tasks=tasks,
            unreadable=message,
        )


def with_grader(course: Course, name: str, jail: Jail, body: Callable[[Grader], T]) -> T:
    """Open the hidden tests of an assignment and grade with them.

    Args:
        course: the course.
        name: the assignment.
        jail: where students' processes come from.
        body: gets the grader.

    Returns:
        What the body returns.

    Raises:
        UsageError: the assignment is not complete (`headcheck build` says what is wrong).
    """
    assignment = load_assignment(course, name)

    def open_grader(tests: HiddenTests) -> T:
        points = tests.points()
        for task in assignment.tasks:
            if not task.manual and not math.isclose(points.get(task.name, 0), task.points):
                raise UsageError(
                    _("{path}: the hidden tests of {task} are worth {hidden:g} points, its test cell {cell:g}").format(
                        path=course.hidden_file(name), task=task.name, hidden=points.get(task.name, 0), cell=task.points
                    )
                )
        return body(Grader(course, assignment, jail, tests))

    return hidden_tests(course, name, open_grader)


def submissions_are_trusted() -> bool:
    """Whether whoever started this said that student code may run with less isolation than the course demands."""
    return os.environ.get(TRUST) == "1"


def make_jail(course: Course) -> Jail:
    """Make the jail as the course configures it.

    Args:
        course: the course; its answers and hidden tests are kept out of the jail's file system.

    Returns:
        A jail; nothing is started before it is needed.

    Raises:
        JailUnavailable: this machine cannot confine student code.
    """
    limits = course.limits
    return Jail(
        minimum="none" if submissions_are_trusted() else course.minimum_isolation,
        limits=Limits(memory_mb=math.ceil(limits.memory_mb), cpu_s=math.ceil(limits.submission_seconds)),
        keep_out=[course.root / name for name in ("assignments", "autograder/hidden", "solutions", "source")],
    )


def _jail_notes(jail: Jail) -> list[str]:
    """Say what the jail lacked, and whether that was accepted only because somebody trusted the submissions."""
    if jail.isolation == "none":
        return [_("run without a jail that holds, because the submissions were trusted"), *jail.missing]
    return jail.missing


def _process_notes(process: StudentProcess) -> list[str]:
    notes = []
    if process.restarts:
        notes.append(_("the notebook's process hung or ended {count} times").format(count=process.restarts))
    return notes
