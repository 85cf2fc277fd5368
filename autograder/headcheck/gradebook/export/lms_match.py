"""Finds out which row of a learning platform's gradebook belongs to which student."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from headcheck.errors import UsageError
from headcheck.gradebook.export.entries import Student
from headcheck.gradebook.export.lms_fields import Record
from headcheck.i18n import _

PLATFORM_ID = "id"
"""Canvas's own number for a person; it says something about our students only through `lms_user_id`."""

ID_COLUMNS = (
    *("sis user id", "sis login id", "integration id", PLATFORM_ID),  # Canvas
    *("id number", "email address", "username"),  # Moodle
    *("email", "student id", "login id", "user id"),
)
"""Columns that say who a row is about, in small letters; with `--match` a person names another."""

Identifiers = Mapping[str, set[str]]
"""What a file may call a student -> ids of the students whom that may mean."""


class Roster:
    """All students of the gradebook, by everything they may be called."""

    def __init__(self, students: Iterable[Student], mapping: Mapping[str, str]) -> None:
        """Prepare.

        Args:
            students: the students.
            mapping: student id -> what the file calls this student; it alone counts for those named in it.
        """
        self._exact: defaultdict[str, set[str]] = defaultdict(set)
        self._folded: defaultdict[str, set[str]] = defaultdict(set)
        self._platform: defaultdict[str, set[str]] = defaultdict(set)
        for student in students:
            mapped = mapping.get(student.id)
            for name in [mapped] if mapped else [student.id, student.email, student.lms_user_id]:
                self._exact[name.strip()].add(student.id)
                self._folded[name.strip().casefold()].add(student.id)
            self._platform[mapped or student.lms_user_id].add(student.id)

    def students(self, name: str) -> set[str]:
        """Return whom a name means: the same spelling goes before the same letters, small or capital."""
        return (self._exact.get(name) or self._folded.get(name.casefold(), set())) if name else set()

    def by_platform_id(self, number: str) -> set[str]:
        """Return whom the platform's own id means."""
        return self._platform.get(number, set()) if number else set()


def id_columns(header: Sequence[str], wanted: str | None) -> dict[int, str]:
    """Find the columns that say who a row is about.

    Args:
        header: names of the columns.
        wanted: the one column that a person named, or None.

    Returns:
        Index of a column -> its name.

    Raises:
        UsageError: there are none, or the named one is missing or there twice.
    """
    if wanted is not None:
        return {find_column(header, wanted): wanted}
    found = {index: name for index, name in enumerate(header) if name.strip().casefold() in ID_COLUMNS}
    if not found:
        raise UsageError(
            _("no column says who a row is about; name one with --match; there are: {names}").format(
                names=", ".join(header)
            )
        )
    return found


def find_column(header: Sequence[str], wanted: str) -> int:
    """Find a column by its name, or by the name that people see without what the platform adds.

    Canvas adds a number, `Bug hunt (1234)`; Moodle a kind and a form, `Assignment: Bug hunt (Real)`.

    Args:
        header: names of the columns.
        wanted: the name.

    Returns:
        The index of the column.

    Raises:
        UsageError: there is none, or more than one.
    """
    names = [name.strip() for name in header]
    found = [index for index, name in enumerate(names) if name == wanted.strip()]
    found = found or [index for index, name in enumerate(names) if wanted.strip().casefold() in _short_names(name)]
    if len(found) == 1:
        return found[0]
    if found:
        message = _("several columns may be {wanted!r}; write one of these in full: {names}")
    else:
        message = _("no column {wanted!r}; there are: {names}")
    raise UsageError(
        message.format(wanted=wanted, names=", ".join(names[index] for index in found) or ", ".join(names))
    )


def _short_names(name: str) -> set[str]:
    bare = re.sub(r"\s*\([^()]*\)$", "", name).casefold()
    return {bare, bare.partition(": ")[2]} - {""}


def match_row(record: Record, columns: Mapping[int, str], roster: Roster, chosen: bool) -> str | None:
    """Find the student whom a row is about.

    Args:
        record: the row.
        columns: the columns that say who it is about.
        roster: the students.
        chosen: a person named the column; then it is taken at its word.

    Returns:
        The id of the student, None when nobody is called so.

    Raises:
        UsageError: it may be more than one.
    """
    names = {record.value(index): name.strip().casefold() for index, name in columns.items()}
    own = [name for name, column in names.items() if chosen or column != PLATFORM_ID]
    found: set[str] = set()
    for name, column in names.items():
        if chosen or column != PLATFORM_ID or not any(own):
            found |= roster.students(name)
        else:
            found |= roster.by_platform_id(name)
    if len(found) > 1:
        raise UsageError(
            _("line {line}: {names} may be more than one student: {students}; name the column with --match").format(
                line=record.line, names=", ".join(filter(None, names)), students=", ".join(sorted(found))
            )
        )
    return found.pop() if found else None
