"""Where nbgrader's steps meet the grader: one jail per run, verdicts made once."""

from __future__ import annotations

import atexit
from pathlib import Path

from headcheck.course.config import Course, find_course
from headcheck.course.submission import Submission
from headcheck.grading.grade import make_jail, with_grader
from headcheck.grading.process import StudentProcess
from headcheck.grading.verdict import Verdict
from headcheck.jail.client import Jail


class Desk:
    """Grades for one course; keeps the jail warm between notebooks."""

    def __init__(self, course: Course) -> None:
        self.course = course
        self._jail: Jail | None = None
        self._ready: dict[Path, Verdict] = {}

    @property
    def jail(self) -> Jail:
        """The jail, started when first needed."""
        if self._jail is None:
            self._jail = make_jail(self.course)
        return self._jail

    def put(self, path: Path, verdict: Verdict) -> None:
        """Lay down a verdict that was made already, for nbgrader's steps to pick up."""
        self._ready[path.resolve()] = verdict

    def verdict(self, path: Path, assignment: str) -> Verdict:
        """Give the verdict on a submitted notebook, made now unless it lies ready.

        Args:
            path: the submitted file.
            assignment: the assignment.

        Returns:
            The verdict.
        """
        ready = self._ready.pop(path.resolve(), None)
        if ready is not None:
            return ready
        return with_grader(self.course, assignment, self.jail, lambda grader: grader.grade_file(path))

    def plain_process(self, submission: Submission) -> StudentProcess:
        """Start the cells of a notebook that has no hidden graders of ours."""
        process = StudentProcess(self.jail, submission, self.course.limits)
        process.start()
        return process

    def close(self) -> None:
        """End the jail."""
        if self._jail is not None:
            self._jail.close()
            self._jail = None


_desks: dict[Path, Desk] = {}


def desk_for(folder: Path) -> Desk:
    """Return the desk of the course that a class folder belongs to.

    Args:
        folder: the class folder.

    Returns:
        The same desk for the same course within a process; closed at exit.
    """
    course = find_course(folder)
    if course.root not in _desks:
        _desks[course.root] = Desk(course)
        atexit.register(_desks[course.root].close)
    return _desks[course.root]
