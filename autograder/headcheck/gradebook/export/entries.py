"""Reads what a gradebook holds: every student's points by task, penalties, times, and the grader's verdicts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from nbgrader import api
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory

from headcheck.course.assignment import load_assignment
from headcheck.course.config import Course
from headcheck.errors import UsageError
from headcheck.i18n import _

NO_SUBMISSION = "no_submission"
"""The state of all tasks of a student who handed in nothing; the others are those of a verdict."""


@dataclass(frozen=True)
class Student:
    """A student as the gradebook knows him."""

    id: str
    first_name: str
    last_name: str
    email: str
    lms_user_id: str
    """The id that a learning platform gave him; nbgrader stores it when told so."""


@dataclass(frozen=True)
class TaskEntry:
    """A student's points for one task."""

    task: str
    score: float | None
    """None when nobody has given points yet."""
    max_score: float
    needs_manual_grade: bool = False
    state: str = ""
    """The grader's verdict; empty when it is not known (plain nbgrader tasks)."""
    mistakes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Entry:
    """All that a gradebook holds on one student and one assignment."""

    student: Student
    assignment: str
    tasks: tuple[TaskEntry, ...]
    submitted: bool = False
    timestamp: datetime | None = None
    """When it was handed in, in UTC."""
    due: datetime | None = None
    """In UTC, an extension included."""
    late_penalty: float = 0

    @property
    def score(self) -> float | None:
        """Points after the late penalty, never below 0; None when there are none yet."""
        given = [task.score for task in self.tasks if task.score is not None]
        return max(0.0, sum(given) - self.late_penalty) if given else None

    @property
    def max_score(self) -> float:
        """Points that can be had."""
        return sum(task.max_score for task in self.tasks)

    @property
    def needs_manual_grade(self) -> bool:
        """Whether a person still has to grade something of it."""
        return any(task.needs_manual_grade for task in self.tasks)


@dataclass(frozen=True)
class _Cell:
    """A cell that carries points."""

    notebook: str
    name: str
    task: str
    max_score: float

    @property
    def key(self) -> tuple[str, str]:
        return self.notebook, self.name


def assignment_names(gradebook: Gradebook, course: Course, wanted: Sequence[str]) -> list[str]:
    """List the assignments to export.

    Args:
        gradebook: the open gradebook.
        course: the course, for its order.
        wanted: what a person typed; all when empty.

    Returns:
        Names of assignments that the gradebook has.

    Raises:
        UsageError: the gradebook lacks one of them.
    """
    known = sorted((str(name) for (name,) in gradebook.db.query(api.Assignment.name)), key=_order(course))
    for name in wanted:
        if name not in known:
            raise UsageError(
                _("{name!r} is not in the gradebook; it has: {names}").format(
                    name=name, names=", ".join(known) or _("nothing")
                )
            )
    return list(dict.fromkeys(wanted)) or known


def _order(course: Course) -> Any:
    places = {name: place for place, name in enumerate(course.assignments)}
    return lambda name: (places.get(name, len(places)), name)


def read_entries(gradebook: Gradebook, coursedir: CourseDirectory, course: Course, assignment: str) -> Iterator[Entry]:
    """Read one assignment of the whole class with a handful of queries.

    Args:
        gradebook: the open gradebook.
        coursedir: the class folder, for the verdicts in `autograded/`.
        course: the course.
        assignment: an assignment that the gradebook has.

    Yields:
        One entry per student in the order of their ids, those who handed in nothing included.
    """
    cells = _cells(gradebook, course, assignment)
    due = gradebook.find_assignment(assignment).duedate
    submissions, grades = _submissions(gradebook, assignment), _grades(gradebook, assignment)
    for student in _students(gradebook):
        if student.id not in submissions:
            tasks = tuple(TaskEntry(cell.task, None, cell.max_score, state=NO_SUBMISSION) for cell in cells)
            yield Entry(student, assignment, tasks, due=due)
            continue
        timestamp, extension, penalty = submissions[student.id]
        verdicts = _verdicts(coursedir, student.id, assignment, sorted({cell.notebook for cell in cells}))
        tasks = tuple(_task(cell, grades.get((student.id, *cell.key)), verdicts.get(cell.key, {})) for cell in cells)
        extended = due + extension if due and extension else due
        yield Entry(student, assignment, tasks, True, timestamp, extended, float(penalty or 0))


def _students(gradebook: Gradebook) -> list[Student]:
    columns = (getattr(api.Student, name) for name in ("id", "first_name", "last_name", "email", "lms_user_id"))
    rows = gradebook.db.query(*columns).all()
    return sorted((Student(*("" if value is None else str(value) for value in row)) for row in rows), key=_student_id)


def _student_id(student: Student) -> str:
    return student.id


def _cells(gradebook: Gradebook, course: Course, assignment: str) -> list[_Cell]:
    """List the cells with points, in the order of the notebook where headcheck knows it."""
    names = {}
    if assignment in course.assignments:
        names = {task.grade_id: task.name for task in load_assignment(course, assignment).tasks}
    places = {name: place for place, name in enumerate(names)}
    cells = []
    for kind in (api.GradeCell, api.TaskCell):
        query = gradebook.db.query(api.Notebook.name, kind.name, kind.max_score).select_from(kind)
        query = query.join(api.Notebook, api.Notebook.id == kind.notebook_id).join(api.Assignment)
        cells += query.filter(api.Assignment.name == assignment).all()
    several = len({notebook for notebook, _name, _points in cells}) > 1
    found = [_Cell(n, c, f"{n}/{c}" if several else names.get(c, c), float(points)) for n, c, points in cells]
    return sorted(found, key=lambda cell: (cell.notebook, places.get(cell.name, len(places)), cell.name))


def _submissions(gradebook: Gradebook, assignment: str) -> dict[str, tuple[Any, Any, Any]]:
    submission = api.SubmittedAssignment
    query = gradebook.db.query(
        submission.student_id, submission.timestamp, submission.extension, submission.late_submission_penalty
    )
    query = query.select_from(submission).join(api.Assignment, api.Assignment.id == submission.assignment_id)
    return {student: tuple(rest) for student, *rest in query.filter(api.Assignment.name == assignment)}


def _grades(gradebook: Gradebook, assignment: str) -> dict[tuple[str, str, str], tuple[float | None, bool]]:
    """Student, notebook, cell -> points (None when nobody gave any), and whether a person has to look."""
    grade, submission, notebook = api.Grade, api.SubmittedAssignment, api.SubmittedNotebook
    query = gradebook.db.query(
        submission.student_id,
        api.Notebook.name,
        api.BaseCell.name,
        grade.score,
        grade.auto_score,
        grade.manual_score,
        grade.needs_manual_grade,
    )
    query = query.select_from(grade).join(api.BaseCell, api.BaseCell.id == grade.cell_id)
    query = query.join(notebook, notebook.id == grade.notebook_id)
    query = query.join(api.Notebook, api.Notebook.id == notebook.notebook_id)
    query = query.join(submission, submission.id == notebook.assignment_id)
    query = query.join(api.Assignment, api.Assignment.id == submission.assignment_id)
    return {
        (student, name, cell): (None if automatic is None and manual is None else float(score), bool(needs))
        for student, name, cell, score, automatic, manual, needs in query.filter(api.Assignment.name == assignment)
    }


def _task(cell: _Cell, grade: tuple[float | None, bool] | None, verdict: dict[str, Any]) -> TaskEntry:
    score, needs = grade or (None, True)
    mistakes = tuple(str(mistake) for mistake in verdict.get("mistakes", ()))
    return TaskEntry(cell.task, score, cell.max_score, needs, str(verdict.get("state", "")), mistakes)


def _verdicts(
    coursedir: CourseDirectory, student: str, assignment: str, notebooks: Sequence[str]
) -> dict[tuple[str, str], dict[str, Any]]:
    """Find the verdicts that grading left in the stored notebooks; none where there is no such file."""
    folder = Path(coursedir.format_path(coursedir.autograded_directory, student, assignment))
    found = {}
    for notebook in notebooks:
        try:
            cells = json.loads((folder / f"{notebook}.ipynb").read_bytes())["cells"]
        except (OSError, ValueError, KeyError):
            continue
        for cell in cells:
            metadata = cell["metadata"]
            if "headcheck" in metadata and "nbgrader" in metadata:
                found[notebook, metadata["nbgrader"]["grade_id"]] = metadata["headcheck"]
    return found
