"""Where nbgrader's steps meet the grader: one jail per run, hidden tests collected once."""

from __future__ import annotations

import atexit
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from headcheck.course.config import Course
from headcheck.gradebook.courses import course_of
from headcheck.gradebook.dropin.open_grader import OpenGrader
from headcheck.gradebook.plain.run import UNLIMITED_S
from headcheck.grading.grade import make_jail, submissions_are_trusted
from headcheck.grading.verdict import Verdict
from headcheck.jail.client import Jail, Limits


@dataclass(frozen=True)
class _Opened:
    """Which grader is open: a changed file or another level of hints needs a new one."""

    assignment: str
    timeout_s: float | None
    hints: str
    changed: tuple[int, ...]


class Desk:
    """Grades for one course; keeps the jail warm and the hidden tests ready between notebooks."""

    def __init__(self, course: Course) -> None:
        self.course = course
        self._jail: Jail | None = None
        self._plain: tuple[Path, Jail] | None = None
        self._open: tuple[_Opened, OpenGrader] | None = None

    @property
    def jail(self) -> Jail:
        """The jail, started when first needed."""
        if self._jail is None:
            self._jail = make_jail(self.course)
        return self._jail

    def plain_jail(self, folder: Path) -> Jail:
        """Return the jail for plain nbgrader notebooks, each of whose cells has a deadline of its own.

        Args:
            folder: the class folder, which holds hidden tests, submissions and gradebook.
        """
        if self._plain is None or self._plain[0] != folder:
            self._close_plain()
            jail = Jail(
                minimum="none" if submissions_are_trusted() else self.course.minimum_isolation,
                limits=Limits(memory_mb=int(self.course.limits.memory_mb), cpu_s=int(UNLIMITED_S)),
                keep_out=[folder],
            )
            self._plain = (folder, jail)
        return self._plain[1]

    def prepare(self, assignment: str) -> None:
        """Make sure that an assignment can be graded here, before anything is touched.

        Args:
            assignment: the assignment.

        Raises:
            JailUnavailable: student code cannot be confined on this machine.
            UsageError: the assignment is not complete.
        """
        self.jail.spawn().close()
        self._grader(assignment, None).wait()

    def verdict(self, path: Path, assignment: str, timeout_s: float | None = None) -> Verdict:
        """Give the verdict on a submitted notebook.

        Args:
            path: the submitted file.
            assignment: the assignment.
            timeout_s: what a cell or a call may take, when the class says otherwise than the course.

        Returns:
            The verdict.
        """
        return self._grader(assignment, timeout_s).grade_file(path)

    def close(self) -> None:
        """End the graders and the jails."""
        self._close_grader()
        self._close_plain()
        if self._jail is not None:
            self._jail.close()
            self._jail = None

    def _grader(self, assignment: str, timeout_s: float | None) -> OpenGrader:
        files = (self.course.hidden_file(assignment), self.course.source_file(assignment))
        changed = tuple(path.stat().st_mtime_ns if path.exists() else 0 for path in files)
        wanted = _Opened(assignment, timeout_s, self.course.hints_for(assignment), changed)
        if self._open is None or self._open[0] != wanted:
            self._close_grader()
            sys.modules.pop(files[0].stem, None)  # or Python would go on with the hidden tests that it knows
            self._open = (wanted, OpenGrader(_timed(self.course, timeout_s), assignment, self.jail))
        return self._open[1]

    def _close_plain(self) -> None:
        if self._plain is not None:
            self._plain[1].close()
            self._plain = None

    def _close_grader(self) -> None:
        if self._open is not None:
            self._open[1].close()
            self._open = None


def _timed(course: Course, timeout_s: float | None) -> Course:
    """Give a course the time for cells and calls that a class has configured."""
    if timeout_s is None:
        return course
    whole = max(course.limits.submission_seconds, timeout_s)
    limits = replace(course.limits, cell_seconds=timeout_s, call_seconds=timeout_s, submission_seconds=whole)
    return replace(course, limits=limits, own_limits={})


_desks: dict[Path, Desk] = {}


def desk_for(folder: Path) -> Desk:
    """Return the desk of the course that a class folder belongs to.

    Args:
        folder: the class folder.

    Returns:
        The same desk for the same course within a process, a new one when its configuration changed; closed at exit.
    """
    course = course_of(folder)
    desk = _desks.get(course.root)
    if desk is None or desk.course != course:
        if desk is not None:
            desk.close()
        desk = _desks[course.root] = Desk(course)
    return desk


@atexit.register
def _close_desks() -> None:
    for desk in _desks.values():
        desk.close()
