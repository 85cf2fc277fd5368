"""Which course a class folder belongs to, and which of its assignments are headcheck's."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from headcheck.course.assignment import Assignment, load_assignment
from headcheck.course.config import CONFIG_NAME, Course, find_course
from headcheck.errors import UsageError

if TYPE_CHECKING:
    from nbgrader.coursedir import CourseDirectory


def course_of(folder: Path) -> Course:
    """Find the course of a class folder.

    Args:
        folder: the class folder.

    Returns:
        Its course; for a folder that belongs to none, one with the usual limits and no assignments of headcheck's.

    Raises:
        UsageError: its `headcheck.toml` is not usable.
    """
    try:
        return find_course(folder)
    except UsageError:
        if (folder / CONFIG_NAME).is_file():
            raise
        return Course(root=folder.resolve(), name=folder.resolve().name, assignments=())


def headcheck_assignment(coursedir: CourseDirectory, name: str) -> Assignment | None:
    """Return the assignment if it is one of headcheck's, None for a plain nbgrader assignment.

    Args:
        coursedir: nbgrader's course folder.
        name: the assignment.
    """
    course = course_of(Path(coursedir.root))
    if name not in course.assignments or _is_namesake(coursedir, course, name):
        return None
    return load_assignment(course, name)


def _is_namesake(coursedir: CourseDirectory, course: Course, name: str) -> bool:
    """Tell whether the class has a plain assignment of its own that only happens to be called like one of ours."""
    folder = Path(coursedir.format_path(coursedir.source_directory, ".", name))
    if not folder.is_dir() or folder.resolve() == course.source_file(name).parent:
        return False
    from headcheck.course.build import HIDDEN_CALL

    return not any(HIDDEN_CALL in path.read_text(encoding="utf-8", errors="replace") for path in folder.glob("*.ipynb"))
