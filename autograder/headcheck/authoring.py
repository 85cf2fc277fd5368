"""Puts the rooms together for an author: build every assignment of a course."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path

from headcheck.course.build import build_assignment, stale_files, write_built
from headcheck.course.config import Course, course_at
from headcheck.course.markers import Expander, Place, TextCell
from headcheck.grading.session import hidden_points
from headcheck.i18n import _
from headcheck.quiz.notebook import question_cells


def build_all(folder: Path | None, names: Sequence[str], write: bool) -> list[Path]:
    """Build assignments.

    Args:
        folder: course folder, None for the course at hand.
        names: assignments; all when empty.
        write: False only compares.

    Returns:
        The notebooks that were (or are) not up to date.

    Raises:
        UsageError: an author's mistake, `file:line: what`; nothing was written then.
    """
    course = course_at(folder)
    chosen = [course.require(name) for name in names] or list(course.assignments)
    built = {
        name: build_assignment(course, name, hidden_points(course, name), _expanders(course, name)) for name in chosen
    }
    act = write_built if write else stale_files
    return [path for name, notebooks in built.items() for path in act(course, name, notebooks)]


def _expanders(course: Course, assignment: str) -> dict[str, Expander]:
    """Let an assignment with a question bank use `question` cells."""
    if not (course.root / "assignments" / assignment / "bank").is_dir():
        return {}
    course.make_importable()
    bank = importlib.import_module(f"assignments.{assignment}.bank").BANK

    def expand(cell: TextCell, place: Place) -> list[TextCell]:
        if cell.name not in bank:
            raise place.error(_("no question {name} in the bank").format(name=cell.name))
        parts = question_cells(bank[cell.name], points=cell.points)
        return [
            TextCell("plain", "", "markdown", parts.prompt, None, cell.line),
            TextCell("solution", cell.name, "code", parts.solution, None, cell.line),
            TextCell("tests", cell.name, "code", parts.check, cell.points, cell.line, folded=True),
        ]

    return {"question": expand}
