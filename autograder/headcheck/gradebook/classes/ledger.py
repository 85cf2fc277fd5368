"""The one writer of the gradebook during a class run: enters verdicts, many in one transaction.

It does what nbgrader's `autograde` does to the database (Autograde, SaveAutoGrades, AssignLatePenalties), and brings
along what its `generate_feedback` reads from there (GetGrades).
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import nbformat
from nbgrader.api import (
    Assignment,
    BaseCell,
    Grade,
    Gradebook,
    MissingEntry,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
)
from nbgrader.converters import Autograde, GenerateFeedback
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import AssignLatePenalties
from nbgrader.utils import compute_checksum, find_all_files, is_solution, parse_utc
from sqlalchemy.orm import selectinload
from traitlets.config import Config

from headcheck.course.assignment import TESTS_SUFFIX
from headcheck.course.config import Course
from headcheck.course.generating import enter_assignment
from headcheck.errors import UsageError
from headcheck.gradebook.address import database_url
from headcheck.gradebook.database import alone, beside_others
from headcheck.gradebook.rows import NO_RESPONSE, clear_scores
from headcheck.grading.verdict import Verdict
from headcheck.i18n import _

Cells = dict[str, BaseCell]
"""The cells of an assignment, by their id in the database."""


@dataclass
class Entry:
    """What the gradebook says about one submission, as the feedback needs it."""

    score: float
    max_score: float
    late_penalty: float
    cells: dict[str, tuple[float, float]] = field(default_factory=dict)
    """grade_id -> points given, by a person if one did, and most points."""
    comments: dict[str, str] = field(default_factory=dict)
    """grade_id -> remark."""


class Layout:
    """Where nbgrader puts what it makes of a submission, and with which permissions."""

    def __init__(self, config: Config, coursedir: CourseDirectory, assignment: str) -> None:
        self._coursedir, self._assignment = coursedir, assignment
        self._autograde = Autograde(coursedir=coursedir, config=config)
        self._feedback = GenerateFeedback(coursedir=coursedir, config=config)
        source = coursedir.format_path(coursedir.source_directory, ".", assignment)
        left_out = self._autograde.exclude_overwriting.get(assignment, [])
        found = {os.path.relpath(path, source): path for path in find_all_files(source, [*coursedir.ignore, "*.ipynb"])}
        self.beside = {name: path for name, path in found.items() if name not in left_out}
        """Files of the course that lie beside the notebook: path in its folder -> path."""

    def steps(self, student: str) -> dict[str, dict[str, Any]]:
        """Say where the files of a student go.

        Args:
            student: the student.

        Returns:
            `autograded` and `feedback`, each with folder, permissions, and whether the folder is shared by a group.
        """
        folders = (
            ("autograded", self._autograde, self._coursedir.autograded_directory),
            ("feedback", self._feedback, self._coursedir.feedback_directory),
        )
        return {
            name: {
                "folder": self._coursedir.format_path(directory, student, self._assignment),
                "permissions": int(str(converter.permissions), 8),
                "shared": self._coursedir.groupshared,
            }
            for name, converter, directory in folders
        }


def open_ledger(config: Config, course: Course, assignment: str) -> Ledger:
    """Open the gradebook of a class; the assignment is entered unless it is there as the course releases it.

    Args:
        config: nbgrader's configuration of the class folder.
        course: the course.
        assignment: the assignment.

    Returns:
        The gradebook, with the assignment in it.

    Raises:
        UsageError: the database cannot be used, or nbgrader refuses the assignment.
    """
    coursedir = CourseDirectory(config=config)
    database_url(coursedir.db_url)
    with alone(coursedir.db_url):
        with contextlib.suppress(MissingEntry):
            ledger = Ledger(config, coursedir, assignment)
            if ledger.marks["checksums"] == _checksums(course, assignment):
                return ledger
            ledger.close()
        enter_assignment(config, course, assignment)
    return Ledger(config, coursedir, assignment)


def _checksums(course: Course, assignment: str) -> dict[str, str]:
    """Tell which checksums nbgrader enters: of answers as they are released, of all else with its hidden tests."""
    source, release = (
        nbformat.v4.reads(path.read_text("utf-8"))  # built here: to check them once more takes 0.07 s
        for path in (course.source_file(assignment), course.release_file(assignment))
    )
    cells = [*source.cells, *filter(is_solution, release.cells)]
    return {cell.metadata.nbgrader["grade_id"]: compute_checksum(cell) for cell in cells if "nbgrader" in cell.metadata}


class Ledger:
    """Enters verdicts on one assignment."""

    def __init__(self, config: Config, coursedir: CourseDirectory, assignment: str) -> None:
        """Open the gradebook.

        Args:
            config: nbgrader's configuration of the class folder.
            coursedir: made from it.
            assignment: the assignment.

        Raises:
            MissingEntry: the assignment is not in the gradebook.
        """
        self._gradebook = Gradebook(coursedir.db_url, coursedir.course_id)
        self._assignment = assignment
        self.marks = self._marks()
        self.layout = Layout(config, coursedir, assignment)
        self._may_create = config.Autograde.get("create_student", True)
        self._penalties = AssignLatePenalties(config=config)
        self._penalties.init_plugin()

    def _marks(self) -> dict[str, Any]:
        """Fetch what nbgrader puts into every notebook that it grades: checksums of cells, kernel."""
        notebook = self._gradebook.find_notebook(self._assignment, self._assignment)
        return {
            "checksums": {cell.name: cell.checksum for cell in notebook.source_cells},
            "kernelspec": json.loads(notebook.kernelspec) if notebook.kernelspec else None,
        }

    @contextlib.contextmanager
    def one_transaction(self) -> Iterator[None]:
        """Write everything that is entered inside at once; nbgrader alone would commit several times per submission."""
        session = self._gradebook.db
        beside_others(self._gradebook)
        session.commit = lambda: None
        try:
            yield
        except BaseException:
            session.rollback()
            raise
        else:
            del session.commit
            session.commit()
        finally:
            vars(session).pop("commit", None)
            session.expunge_all()  # thousands of submissions must not add up in memory

    def enter(self, verdicts: Sequence[tuple[str, Verdict, str]]) -> list[Entry]:
        """Enter verdicts; what a person gave is kept and marked for another look.

        All of them go to the database together: one after the other they would take three times as long.

        Args:
            verdicts: student, verdict, and when it was handed in, as nbgrader writes it, empty when not known; each
                student once.

        Returns:
            What the gradebook says now, in the same order.

        Raises:
            UsageError: there is no such student, and the configuration forbids to add one.
        """
        students = [student for student, _verdict, _timestamp in verdicts]
        with self._gradebook.db.no_autoflush:
            self._add_students(students)
            cells, standing = self._cells(), self._standing(students)
            return [
                self._enter(standing.get(student), student, verdict, timestamp, cells)
                for student, verdict, timestamp in verdicts
            ]

    def _enter(
        self, submission: SubmittedAssignment | None, student: str, verdict: Verdict, timestamp: str, cells: Cells
    ) -> Entry:
        if submission is None:
            times = {"timestamp": timestamp} if timestamp else {}
            submission = self._gradebook.add_submission(self._assignment, student, **times)
        elif timestamp:
            submission.timestamp = parse_utc(timestamp)
        row = self._row(submission)
        _enter_points(row, verdict, cells)
        _enter_remarks(row, verdict, cells)
        row.late_submission_penalty = self._penalty(submission, student, sum(map(_score, row.grades)))
        return _entry(row, cells)

    def entry(self, student: str, verdict: Verdict) -> Entry | None:
        """Read what the gradebook says about a submission.

        Args:
            student: the student.
            verdict: what should have been entered.

        Returns:
            What it says; None when this verdict is not, or not all, in it.
        """
        try:
            row = self._row(self._gradebook.find_submission(self._assignment, student))
        except MissingEntry:
            return None
        cells, points = self._cells(), _points(verdict)
        if any(grade.auto_score != points[cells[grade.cell_id].name] for grade in row.grades):
            return None
        return _entry(row, cells)

    def take_back(self, student: str) -> None:
        """Take back automatic scores, so that a run that fails leaves none of an earlier one standing."""
        clear_scores(self._gradebook, self._assignment, student)

    def _row(self, submission: SubmittedAssignment) -> SubmittedNotebook:
        return next(notebook for notebook in submission.notebooks if notebook.name == self._assignment)

    def _cells(self) -> Cells:
        """Read the cells of the assignment; rows that are not in the database yet know them by their ids only."""
        notebook = self._gradebook.find_notebook(self._assignment, self._assignment)
        return {cell.id: cell for cell in self._gradebook.db.query(BaseCell).filter_by(notebook_id=notebook.id)}

    def _standing(self, students: Sequence[str]) -> dict[str, SubmittedAssignment]:
        """Read the submissions that the gradebook has of these students, with all that is entered in them."""
        notebooks = selectinload(SubmittedAssignment.notebooks)
        query = (
            self._gradebook.db.query(SubmittedAssignment)
            .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
            .filter(Assignment.name == self._assignment, SubmittedAssignment.student_id.in_(students))
            .options(notebooks.selectinload(SubmittedNotebook.grades))
            .options(notebooks.selectinload(SubmittedNotebook.comments))
        )
        return {submission.student_id: submission for submission in query}

    def _add_students(self, students: Sequence[str]) -> None:
        known = {name for (name,) in self._gradebook.db.query(Student.id).filter(Student.id.in_(students))}
        for student in students:
            if student in known:
                continue
            if not self._may_create:
                raise UsageError(_("the gradebook has no student {name}").format(name=student))
            self._gradebook.add_student(student)
        self._gradebook.db.flush()

    def _penalty(self, submission: SubmittedAssignment, student: str, score: float) -> float | None:
        """Ask nbgrader's plugin, which the class may have replaced."""
        seconds = submission.total_seconds_late
        if seconds <= 0:
            return None
        penalty = self._penalties.plugin_inst.late_submission_penalty(student, score, seconds)
        return None if penalty is None else min(max(float(penalty), 0.0), score)

    def close(self) -> None:
        """Close the database."""
        self._gradebook.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def _enter_points(row: SubmittedNotebook, verdict: Verdict, cells: Cells) -> None:
    points = _points(verdict)
    for grade in row.grades:
        grade.auto_score = points[cells[grade.cell_id].name]
        grade.needs_manual_grade = grade.auto_score is None or grade.manual_score is not None


def _points(verdict: Verdict) -> dict[str, float | None]:
    """Return the automatic points by grade_id: of a tests cell, or of an answer that a person reads."""
    points = {task.task: None if task.state == "manual" else float(task.score) for task in verdict.tasks}
    return points | {f"{name}{TESTS_SUFFIX}": given for name, given in points.items()}


def _enter_remarks(row: SubmittedNotebook, verdict: Verdict, cells: Cells) -> None:
    untouched = verdict.untouched
    for comment in row.comments:
        comment.auto_comment = NO_RESPONSE if cells[comment.cell_id].name in untouched else None


def _score(grade: Grade) -> float:
    """Add up one cell as nbgrader does; its own `score` would be read from the database again."""
    given = grade.manual_score if grade.manual_score is not None else grade.auto_score
    return float((given or 0.0) + (grade.extra_credit or 0.0))


def _entry(row: SubmittedNotebook, cells: Cells) -> Entry:
    graded = [(cells[grade.cell_id], _score(grade)) for grade in row.grades]
    late = row.late_submission_penalty or 0.0
    return Entry(
        score=sum(given for _cell, given in graded) - late,
        max_score=float(sum(cell.max_score for cell, _given in graded)),
        late_penalty=late,
        cells={cell.name: (given, float(cell.max_score)) for cell, given in graded},
        comments={
            cells[comment.cell_id].name: comment.manual_comment or comment.auto_comment or ""
            for comment in row.comments
        },
    )
