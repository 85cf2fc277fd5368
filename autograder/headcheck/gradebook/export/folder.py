"""Takes scores out of the gradebook of a class folder."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from nbgrader.coursedir import CourseDirectory

from headcheck.course.config import find_course
from headcheck.errors import UsageError
from headcheck.gradebook.config import load_config
from headcheck.gradebook.database import open_gradebook
from headcheck.gradebook.export.entries import Entry, assignment_names, read_entries
from headcheck.gradebook.export.lms_fill import Filled, fill
from headcheck.gradebook.export.table import gradebook_csv
from headcheck.i18n import _


def class_entries(folder: Path, assignments: Sequence[str]) -> list[Entry]:
    """Read assignments from the gradebook of a class.

    Args:
        folder: class folder.
        assignments: their names; all that the gradebook has when empty.

    Returns:
        One entry per assignment and student.

    Raises:
        UsageError: there is no gradebook, or it lacks an assignment.
    """
    coursedir = CourseDirectory(config=load_config(folder.resolve()))
    course = find_course(folder)
    with open_gradebook(coursedir) as gradebook:
        names = assignment_names(gradebook, course, assignments)
        return [entry for name in names for entry in read_entries(gradebook, coursedir, course, name)]


def class_csv(folder: Path, assignments: Sequence[str]) -> str:
    """Write the gradebook of a class as CSV.

    Args:
        folder: class folder.
        assignments: their names; all that the gradebook has when empty.

    Returns:
        The text.

    Raises:
        UsageError: see `class_entries`.
    """
    return gradebook_csv(class_entries(folder, assignments))


def fill_lms(
    folder: Path,
    assignment: str,
    file: Path,
    column: str | None,
    match: str | None,
    mapping: Path | None,
    out_of: float | None,
) -> tuple[Filled, list[Entry]]:
    """Fill the scores of a class into a gradebook file of a learning platform.

    Args:
        folder: class folder.
        assignment: the assignment.
        file: the file that the platform exported; it is only read.
        column: the column to fill in; the one named like the assignment when None.
        match: the one column to find students by, or None.
        mapping: a CSV file of student ids and what the platform calls them, or None.
        out_of: points to scale full marks to, or None.

    Returns:
        The filled file, and the scores.

    Raises:
        UsageError: a file cannot be used; see `lms_fill.fill`.
    """
    entries = class_entries(folder, [assignment])
    data, names = _read(file), _mapping(mapping, entries)
    try:
        return fill(data, column or assignment, entries, match, names, out_of), entries
    except UsageError as error:
        raise UsageError(f"{file}: {error}") from error


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise UsageError(_("{path}: cannot be read: {error}").format(path=file, error=error.strerror)) from error


def _mapping(file: Path | None, entries: Sequence[Entry]) -> dict[str, str]:
    """Read a mapping file; a first line that names no student is its header."""
    if file is None:
        return {}
    known = {entry.student.id for entry in entries}
    mapping: dict[str, str] = {}
    rows = csv.reader(io.StringIO(_read(file).decode("utf-8-sig", "replace"), newline=""))
    for number, row in enumerate(rows, 1):
        fields = [text.strip() for text in row]
        if not any(fields) or (number == 1 and fields[0] not in known):
            continue
        if len(fields) != 2 or not fields[1] or fields[0] not in known or fields[0] in mapping:
            raise UsageError(
                _("{path}: row {number}: needs a student id of the gradebook, once, and what the file has").format(
                    path=file, number=number
                )
            )
        mapping[fields[0]] = fields[1]
    return mapping
