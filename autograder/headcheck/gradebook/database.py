"""Opens the gradebook, and mends what keeps nbgrader from using PostgreSQL as it uses SQLite."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from pathlib import Path

from nbgrader.api import Course, Gradebook
from nbgrader.coursedir import CourseDirectory
from sqlalchemy import create_engine, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.pool import NullPool

from headcheck.errors import UsageError
from headcheck.gradebook.address import database_url, one_line_errors
from headcheck.i18n import _

LOCK = 0x68656164
"""Number of the lock in PostgreSQL that graders share."""


def accept_courses_without_a_name() -> None:
    """Let a class without `course_id` keep its gradebook in a database that checks references, as in SQLite.

    nbgrader enters assignments under the course "", but no such course; PostgreSQL refuses that. Nor may a second
    grader who enters the same course at the same moment fail.
    """
    original = Gradebook.check_course
    if hasattr(original, "__wrapped__"):
        return

    @functools.wraps(original)
    def check_course(self: Gradebook, course_id: str = "default_course", **kwargs: object) -> Course:
        if self.engine.dialect.name != "sqlite" and self.db.get(Course, course_id) is None:
            _add_course(self, course_id)
        return original(self, course_id=course_id, **kwargs)

    Gradebook.check_course = check_course


def _add_course(gradebook: Gradebook, course_id: str) -> None:
    gradebook.db.add(Course(id=course_id))
    try:
        gradebook.db.commit()
    except IntegrityError:  # another process was faster
        gradebook.db.rollback()


@contextlib.contextmanager
def alone(address: str) -> Iterator[None]:
    """Keep other graders from entering verdicts: nbgrader deletes an assignment and enters it anew.

    Only PostgreSQL is made for several graders; with SQLite this does nothing.

    Args:
        address: nbgrader's `db_url`.
    """
    url = database_url(address)
    if url.get_backend_name() != "postgresql":
        yield
        return
    with one_line_errors(url), create_engine(url, poolclass=NullPool).connect() as connection:
        connection.execute(text("SELECT pg_advisory_lock(:lock)"), {"lock": LOCK})  # until the connection is closed
        yield


def beside_others(gradebook: Gradebook) -> None:
    """Begin a transaction in which no assignment is entered anew by another grader; see `alone`.

    Args:
        gradebook: the open gradebook; what it had read before is read again.
    """
    gradebook.db.rollback()
    if gradebook.engine.dialect.name == "postgresql":
        gradebook.db.execute(text("SELECT pg_advisory_xact_lock_shared(:lock)"), {"lock": LOCK})


@contextlib.contextmanager
def open_gradebook(coursedir: CourseDirectory) -> Iterator[Gradebook]:
    """Open a gradebook that exists already.

    Args:
        coursedir: nbgrader's course folder, with `db_url`.

    Yields:
        The gradebook; it is closed afterwards.

    Raises:
        UsageError: there is none, its driver is missing, or the server refuses; the password is not shown.
    """
    url = database_url(coursedir.db_url)
    if url.get_backend_name() == "sqlite" and url.database and not Path(url.database).is_file():
        raise UsageError(_("{path}: there is no gradebook yet; run `headcheck grade` first").format(path=url.database))
    with one_line_errors(url), Gradebook(coursedir.db_url, coursedir.course_id) as gradebook:
        yield gradebook
