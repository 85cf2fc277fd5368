"""An assignment as the grader sees it: its cells and tasks, read from the built notebooks."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from headcheck.course.config import Course
from headcheck.errors import UsageError
from headcheck.i18n import _

TESTS_SUFFIX = "_tests"
CELL_KEYS = ("id", "cell_type", "metadata", "source")


@dataclass(frozen=True)
class SourceCell:
    """One cell of the assignment as the course made it."""

    id: str
    """Notebook cell id; for cells with a grade_id it is the same."""
    kind: str
    """`plain`, `locked`, `solution`, `tests` or `manual`."""
    cell_type: str
    source: str
    """Text in `source/`: model answers, hidden region."""
    released: str
    """Text in `release/`: what the student got."""
    points: float | None
    metadata: dict[str, Any]
    """nbgrader's metadata as released (checksum included); empty for plain cells."""

    @property
    def visible(self) -> str:
        """What of the cell may run in the jail: the released text."""
        return self.released


@dataclass(frozen=True)
class Task:
    """One thing a student is asked to do, worth points."""

    name: str
    points: float
    manual: bool
    """Graded by a person."""

    @property
    def grade_id(self) -> str:
        """The grade_id of the cell that carries the points."""
        return self.name if self.manual else self.name + TESTS_SUFFIX


@dataclass(frozen=True)
class Assignment:
    """Cells and tasks of one assignment."""

    name: str
    cells: tuple[SourceCell, ...]
    source_path: Path

    @cached_property
    def by_id(self) -> dict[str, SourceCell]:
        """Cells that carry a grade_id, by that id."""
        return {cell.id: cell for cell in self.cells if cell.kind != "plain"}

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks in the order of the notebook."""
        return tuple(
            Task(
                cell.id if cell.kind == "manual" else cell.id.removesuffix(TESTS_SUFFIX),
                cell.points or 0,
                cell.kind == "manual",
            )
            for cell in self.cells
            if cell.kind in ("tests", "manual")
        )

    @property
    def max_score(self) -> float:
        """All points, manual ones included."""
        return sum(task.points for task in self.tasks)


def load_assignment(course: Course, name: str) -> Assignment:
    """Read the built notebooks of an assignment.

    Args:
        course: the course.
        name: the assignment.

    Returns:
        The assignment.

    Raises:
        UsageError: unknown name, or the notebooks are missing or do not fit together.
    """
    course.require(name)
    source, release = (_read(path) for path in (course.source_file(name), course.release_file(name)))
    if [cell["id"] for cell in source] != [cell["id"] for cell in release]:
        raise UsageError(
            _("{path}: source and release do not belong together; run `headcheck build`").format(
                path=course.release_file(name)
            )
        )
    pairs = zip(source, release, strict=True)
    return Assignment(name, tuple(_source_cell(s, r) for s, r in pairs), course.source_file(name))


def _read(path: Path) -> list[dict[str, Any]]:
    """Read the cells of a notebook of our own making; plain JSON, since importing nbformat takes a second."""
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        return [{key: "".join(cell[key]) if key == "source" else cell[key] for key in CELL_KEYS} for cell in cells]
    except OSError as error:
        raise UsageError(_("{path}: missing; run `headcheck build` in the course").format(path=path)) from error
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(_("{path}: not a notebook; run `headcheck build`").format(path=path)) from error


def _source_cell(source: dict[str, Any], release: dict[str, Any]) -> SourceCell:
    metadata = dict(release["metadata"].get("nbgrader", {}))
    return SourceCell(
        id=metadata.get("grade_id", source["id"]),
        kind=_kind(metadata),
        cell_type=source["cell_type"],
        source=source["source"],
        released=release["source"],
        points=metadata.get("points"),
        metadata=metadata,
    )


def _kind(metadata: dict[str, Any]) -> str:
    """Tell the kind from nbgrader's flags."""
    flags = bool(metadata.get("grade")), bool(metadata.get("solution")), bool(metadata.get("locked"))
    kinds = {
        (True, True, False): "manual",
        (True, False, True): "tests",
        (False, True, False): "solution",
        (False, False, True): "locked",
    }
    return kinds.get(flags, "plain")
