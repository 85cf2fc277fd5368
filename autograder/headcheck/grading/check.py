"""Grades loose notebooks: finds out what each is a submission of, and grades it without a gradebook."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from headcheck.course.assignment import load_assignment
from headcheck.course.config import Course, course_at
from headcheck.course.notebook import read_notebook
from headcheck.course.submission import belonging
from headcheck.errors import UsageError
from headcheck.grading.grade import Grader, make_jail, with_grader
from headcheck.grading.verdict import Verdict
from headcheck.i18n import _


def check_notebooks(folder: Path | None, paths: Sequence[Path]) -> Iterator[Verdict | UsageError]:
    """Grade notebooks, each by itself.

    Args:
        folder: course folder, None for the course at hand.
        paths: the notebooks.

    Yields:
        For each notebook, in this order, its verdict, or why it cannot be used.

    Raises:
        UsageError: there is no course.
        JailUnavailable: the jail cannot be set up.
    """
    course = course_at(folder)
    targets = [_target(course, path) for path in paths]
    with make_jail(course) as jail:
        results: dict[int, Verdict] = {}
        for name in course.assignments:
            wanted = [index for index, target in enumerate(targets) if target == name]
            if wanted:
                with_grader(course, name, jail, _grade_into(results, {index: paths[index] for index in wanted}))
        for index, target in enumerate(targets):
            yield target if isinstance(target, UsageError) else results[index]


def _grade_into(results: dict[int, Verdict], wanted: dict[int, Path]) -> Callable[[Grader], None]:
    def grade(grader: Grader) -> None:
        for index, path in wanted.items():
            results[index] = grader.grade_file(path)

    return grade


def detect_assignment(course: Course, path: Path) -> str:
    """Find out which assignment a notebook is a submission of.

    Args:
        course: the course.
        path: the notebook.

    Returns:
        Name of the assignment.

    Raises:
        UsageError: the file cannot be used, or is no notebook of this course.
    """
    raw = read_notebook(path)
    counts = {name: belonging(raw, load_assignment(course, name)) for name in course.assignments}
    best = max(counts, key=lambda name: (counts[name], name == path.stem))
    if counts[best] == 0:
        raise UsageError(
            _("{path}: not a notebook of this course ({names}): none of its tasks is in it").format(
                path=path, names=", ".join(course.assignments)
            )
        )
    return best


def _target(course: Course, path: Path) -> str | UsageError:
    try:
        return detect_assignment(course, path)
    except UsageError as error:
        return error
