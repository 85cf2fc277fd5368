"""Writes a gradebook as CSV: one row per student and task."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from datetime import datetime

from headcheck.gradebook.export.entries import Entry, TaskEntry

COLUMNS = (
    "student_id",
    "last_name",
    "first_name",
    "email",
    "assignment",
    "task",
    "score",
    "max_score",
    "state",
    "mistakes",
    "needs_manual_grade",
    "submitted",
    "due",
    "late_penalty",
    "assignment_score",
    "assignment_max_score",
)

FORMULA = re.compile(r"\s*[=+\-@＝＋－＠\t\r]")
"""How a text begins that a spreadsheet takes for a formula (the list is OWASP's)."""

NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?")

CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def gradebook_csv(entries: Iterable[Entry]) -> str:
    """Write entries as CSV.

    Args:
        entries: what the gradebook holds.

    Returns:
        The text: a header, then one line per student and task; lines end with `\\n`.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for entry in entries:
        for task in entry.tasks:
            writer.writerow([harmless(value) for value in _row(entry, task)])
    return text.getvalue()


def _row(entry: Entry, task: TaskEntry) -> tuple[str, ...]:
    student = entry.student
    return (
        student.id,
        student.last_name,
        student.first_name,
        student.email,
        entry.assignment,
        task.task,
        number(task.score),
        number(task.max_score),
        task.state,
        " ".join(task.mistakes),
        "yes" if task.needs_manual_grade else "",
        _time(entry.timestamp),
        _time(entry.due),
        number(entry.late_penalty) if entry.submitted else "",
        number(entry.score),
        number(entry.max_score),
    )


def number(value: float | None) -> str:
    """Write points without needless digits; nothing when there are none."""
    return "" if value is None else f"{round(value, 4):f}".rstrip("0").rstrip(".")


def _time(moment: datetime | None) -> str:
    return "" if moment is None else moment.isoformat(sep=" ", timespec="seconds") + "Z"


def harmless(text: str) -> str:
    """Keep a spreadsheet from running a text as a formula, and a terminal from obeying it; numbers stay numbers.

    Args:
        text: a field.

    Returns:
        The field; with an apostrophe before what looks like a formula, without control characters.
    """
    text = CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)
    return f"'{text}" if FORMULA.match(text) and not NUMBER.fullmatch(text) else text
