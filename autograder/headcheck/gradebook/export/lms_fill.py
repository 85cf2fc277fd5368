"""Fills scores into the gradebook file of a learning platform (Canvas, Moodle, …) and changes nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from headcheck.errors import UsageError
from headcheck.gradebook.export.entries import Entry
from headcheck.gradebook.export.lms_fields import DELIMITERS, Field, Record, decode, replace, split
from headcheck.gradebook.export.lms_match import Roster, find_column, id_columns, match_row
from headcheck.gradebook.export.table import number
from headcheck.i18n import _

POINTS_ROW = "points possible"
"""How Canvas's second row begins; below a column that it computes itself it says that this is read only."""

KEPT = ("ex", "n/a")
"""What Canvas writes for an excused student and for one who does not have the assignment; a score would undo that."""

NUMBER = re.compile(r"-?\d+(?:[.,]\d+)?")

DECIMAL = re.compile(r"-?\d+([.,])\d+")


@dataclass
class Filled:
    """The file with scores, and whom that concerns."""

    column: str
    """Name of the column in full."""
    data: bytes = b""
    scored: list[str] = field(default_factory=list)
    """Students whose score was filled in."""
    unknown: list[str] = field(default_factory=list)
    """Rows that are about nobody in the gradebook."""
    absent: list[str] = field(default_factory=list)
    """Students with a score who are not in the file."""
    without_score: list[str] = field(default_factory=list)
    """Students in the file who have no score; their field was left."""
    kept: list[str] = field(default_factory=list)
    """Students whom the file excuses; their field was left."""
    unfinished: list[str] = field(default_factory=list)
    """Students of whom a person still has to grade something; their score was filled in as it is."""
    points: float | None = None
    """What the file says the column is worth, in a file of Canvas's."""


@dataclass(frozen=True)
class _Table:
    """The file, split."""

    text: str
    delimiter: str
    column: int
    rows: Sequence[Record]

    @property
    def header(self) -> list[str]:
        return [each.value for each in self.rows[0].fields]


def fill(
    data: bytes,
    column: str,
    entries: Sequence[Entry],
    match: str | None = None,
    mapping: Mapping[str, str] | None = None,
    out_of: float | None = None,
) -> Filled:
    """Fill in one column.

    Args:
        data: the file.
        column: name of the column, in full or as people see it.
        entries: the scores of an assignment, one entry per student.
        match: the one column to find students by; all that are known when None.
        mapping: student id -> what the file calls this student.
        out_of: points to scale full marks to; the assignment's own when None.

    Returns:
        The new bytes and what there is to tell.

    Raises:
        UsageError: the file or the column cannot be used, a student cannot be told from another, nothing to fill in.
    """
    text, encoding = decode(data)
    table = _read(text, column)
    filled = Filled(table.header[table.column])
    columns = id_columns(table.header, match)
    if table.column in columns:
        raise UsageError(_("column {name!r} says who the students are").format(name=filled.column))
    filled.points = _points(table, filled.column)
    matched = _match(table, columns, Roster([entry.student for entry in entries], mapping or {}), match, filled)
    by_student = {entry.student.id: entry for entry in entries}
    changes = []
    for student, record in matched.items():
        target = _target(record, table, filled.column)
        if _takes_score(by_student[student], target, filled):
            changes.append((target, _score(by_student[student], out_of, _decimal_mark(table))))
    filled.absent = [s for s, entry in by_student.items() if entry.score is not None and s not in matched]
    if not changes:
        raise UsageError(_nothing(filled, by_student))
    filled.data = encoding.encode(replace(text, table.delimiter, changes))
    return filled


def _read(text: str, column: str) -> _Table:
    """Split by the delimiter that is most frequent in the header, or by the one with which the column is there."""
    if not text.strip():
        raise UsageError(_("the file is empty"))
    unquoted = re.sub(r'"[^"]*"', "", re.split(r"[\r\n]", text, maxsplit=1)[0])
    problems = []
    for delimiter in sorted(DELIMITERS, key=unquoted.count, reverse=True):
        try:
            rows = split(text, delimiter)
            return _Table(text, delimiter, find_column([each.value for each in rows[0].fields], column), rows)
        except UsageError as error:
            problems.append(error)
    raise problems[0]


def _points(table: _Table, name: str) -> float | None:
    """Read what Canvas's second row says about the column."""
    for record in table.rows[1:]:
        if record.value(0).casefold() == POINTS_ROW:
            text = record.value(table.column)
            if text and not NUMBER.fullmatch(text):
                raise UsageError(_("column {name!r} cannot be filled in: {text}").format(name=name, text=text))
            return float(text.replace(",", ".")) if text else None
    return None


def _match(
    table: _Table, columns: Mapping[int, str], roster: Roster, chosen: str | None, filled: Filled
) -> dict[str, Record]:
    matched: dict[str, Record] = {}
    for record in table.rows[1:]:
        if record.value(0).casefold() == POINTS_ROW or not any(record.value(index) for index in columns):
            continue
        student = match_row(record, columns, roster, chosen is not None)
        if student is None:
            filled.unknown.append(_("line {line}: {name}").format(line=record.line, name=_label(record, columns)))
        elif student in matched:
            raise UsageError(
                _("lines {first} and {second} are both about {student}; name the column to go by with --match").format(
                    first=matched[student].line, second=record.line, student=student
                )
            )
        else:
            matched[student] = record
    return matched


def _label(record: Record, columns: Mapping[int, str]) -> str:
    known = (record.value(0), *(record.value(index) for index in columns))
    return ", ".join(dict.fromkeys(text for text in known if text))


def _target(record: Record, table: _Table, name: str) -> Field:
    if table.column >= len(record.fields):
        raise UsageError(
            _("line {line}: has {count} fields, column {name!r} is number {number}").format(
                line=record.line, count=len(record.fields), name=name, number=table.column + 1
            )
        )
    return record.fields[table.column]


def _takes_score(entry: Entry, target: Field, filled: Filled) -> bool:
    """Sort a student into the list that tells what became of him; tell whether his score is filled in."""
    if entry.score is None:
        filled.without_score.append(entry.student.id)
    elif target.value.strip().casefold() in KEPT:
        filled.kept.append(entry.student.id)
    else:
        filled.scored.append(entry.student.id)
        if entry.needs_manual_grade:
            filled.unfinished.append(entry.student.id)
        return True
    return False


def _score(entry: Entry, out_of: float | None, mark: str) -> str:
    score = entry.score or 0.0
    if out_of is not None and entry.max_score:
        score = score * out_of / entry.max_score
    return number(score).replace(".", mark)


def _decimal_mark(table: _Table) -> str:
    """Tell whether the file writes 2.5 or 2,5: by the column itself, else by all others, else by the delimiter."""
    column = [record.value(table.column) for record in table.rows[1:]]
    everything = [each.value.strip() for record in table.rows[1:] for each in record.fields]
    for values in (column, everything):
        marks = [match[1] for match in map(DECIMAL.fullmatch, values) if match]
        if marks:
            return "," if marks.count(",") > marks.count(".") else "."
    return "," if table.delimiter == ";" else "."


def _nothing(filled: Filled, by_student: Mapping[str, Entry]) -> str:
    if all(entry.score is None for entry in by_student.values()):
        return _("the gradebook has no scores to fill in")
    return _("nothing to fill in: none of {count} rows is about a student with a score; try --match or --map").format(
        count=len(filled.unknown) + len(filled.without_score) + len(filled.kept)
    )
