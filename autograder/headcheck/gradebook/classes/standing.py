"""Remembers what was entered for whom, so that a further run leaves alone what still stands.

What stands is checked, not believed: the files in `autograded/` and `feedback/` are those that were written, and the
gradebook says what it said then. One query for the whole class does it, without loading nbgrader.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from headcheck.course.files import write_atomically
from headcheck.i18n import _

FOLDER = ".headcheck/entered"

_SUBMISSION = """
JOIN submitted_notebook n ON {row}.notebook_id = n.id
JOIN submitted_assignment s ON n.assignment_id = s.id
JOIN assignment a ON s.assignment_id = a.id WHERE a.name = :assignment
"""

QUERIES = (
    "SELECT s.student_id, c.name, g.auto_score, g.manual_score, g.extra_credit, n.late_submission_penalty "
    "FROM grade g JOIN base_cell c ON g.cell_id = c.id" + _SUBMISSION.format(row="g"),
    "SELECT s.student_id, c.name, m.auto_comment, m.manual_comment "
    "FROM comment m JOIN base_cell c ON m.cell_id = c.id" + _SUBMISSION.format(row="m"),
)


@dataclass(frozen=True)
class Standing:
    """What was entered for one student."""

    key: str
    """Of the verdict."""
    timestamp: str
    grades: str
    """Hash of what the gradebook said about the submission."""
    files: dict[str, list[int]]
    """Path from the class folder -> size and time of change of every file that was written."""

    def files_are_there(self, folder: Path) -> bool:
        """Whether the files of a class are those that were written."""
        return all(stamp(folder / path) == found for path, found in self.files.items())


def stamp(path: Path) -> list[int] | None:
    """Tell a file's size and time of change; None when there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return [status.st_size, status.st_mtime_ns]


class Record:
    """What was entered for an assignment of a class; a file."""

    def __init__(self, class_folder: Path, assignment: str, warn: Callable[[str], None]) -> None:
        """Read it.

        Args:
            class_folder: folder with `submitted/`.
            assignment: the assignment.
            warn: gets a line when the file is damaged; then nothing counts as entered.
        """
        self._path = class_folder / FOLDER / f"{assignment}.json"
        self.source = ""
        """Hash of what the assignment's own entry in the gradebook was made from."""
        self.students: dict[str, Standing] = {}
        try:
            content = json.loads(self._path.read_bytes())
            self.students = {name: Standing(**entry) for name, entry in content["students"].items()}
            self.source = str(content["source"])
        except FileNotFoundError:
            pass
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            warn(_("{path}: damaged; everything is entered again").format(path=self._path))

    def save(self) -> None:
        """Write it."""
        students = {name: asdict(entry) for name, entry in self.students.items()}
        write_atomically(self._path, json.dumps({"source": self.source, "students": students}))


def grades_in(database: str, assignment: str, students: Sequence[str] | None = None) -> dict[str, str] | None:
    """Ask a gradebook what it says about every submission.

    Args:
        database: SQLAlchemy's URL.
        assignment: the assignment.
        students: only of these.

    Returns:
        Student -> a hash of grades, remarks and penalty; None when there is no gradebook.
    """
    import sqlalchemy

    path = sqlalchemy.make_url(database).database
    if database.startswith("sqlite") and path and not Path(path).is_file():
        return None
    engine = sqlalchemy.create_engine(database)
    rows: dict[str, list[Any]] = {}
    try:
        with engine.connect() as connection:
            for number, query in enumerate(QUERIES):
                text = sqlalchemy.text(query if students is None else f"{query} AND s.student_id IN :students")
                values: dict[str, Any] = {"assignment": assignment}
                if students is not None:
                    text = text.bindparams(sqlalchemy.bindparam("students", expanding=True))
                    values["students"] = students
                for student, *row in connection.execute(text, values):
                    rows.setdefault(student, []).append([number, *row])
    except sqlalchemy.exc.DBAPIError:  # a database without nbgrader's tables yet
        return None
    finally:
        engine.dispose()
    return {student: _hash(found) for student, found in rows.items()}


def _hash(rows: Iterable[list[Any]]) -> str:
    return hashlib.sha256(json.dumps(sorted(map(repr, rows))).encode()).hexdigest()
