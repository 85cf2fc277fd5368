"""One worker of a class run: grades, with a jail and hidden tests of its own, for the process that started it.

Jobs and answers cross as JSON. A job is `{"grade": assignment, "path", "notebook", "unusable", "note"}`, or
`{"call": "package.module:function", "with": {...}}` for other work that is better done in parallel.
"""

from __future__ import annotations

import functools
import importlib
import json
import os
import signal
from collections.abc import Mapping
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headcheck.course.config import Course, load_course
from headcheck.errors import UsageError
from headcheck.jail.errors import JailUnavailable
from headcheck.jail.launcher import Twin

if TYPE_CHECKING:
    from headcheck.grading.grade import Grader
    from headcheck.grading.verdict import Verdict

Job = dict[str, Any]
Answer = dict[str, Any]
"""One of `{"ready": true}`, `{"value": ...}`, `{"failed": text}`; `unusable` and `unavailable` end the whole run."""


def work(connection: Connection, root: str, environment: Mapping[str, str], zygote: Twin | None) -> None:
    """Do jobs until there are no more.

    Args:
        connection: to the process that gives the jobs.
        root: folder of the course.
        environment: variables that say how to grade.
        zygote: for the jail; None when there is nothing to grade.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for our starter
    os.environ.update(environment)
    if zygote is not None:
        zygote.adopt()
    Worker(connection, load_course(Path(root)), grades=zygote is not None).run()


class Worker:
    """Answers jobs; keeps the jail, and the hidden tests of one assignment, from one to the next."""

    def __init__(self, connection: Connection, course: Course, grades: bool) -> None:
        self._connection, self._course, self._grades = connection, course, grades

    def run(self) -> None:
        """Work until the starter hangs up."""
        try:
            if self._grades:
                self._grade_all()
            else:
                self._send({"ready": True})
                while True:
                    self._answer(self._receive(), None)
        except JailUnavailable as error:
            self._send({"unavailable": str(error)})
        except (EOFError, ConnectionError):
            return

    def _grade_all(self) -> None:
        from headcheck.grading.grade import make_jail, with_grader

        with make_jail(self._course) as jail:
            jail.start()
            self._send({"ready": True})
            job = self._receive()
            while True:
                if "grade" not in job:
                    self._answer(job, None)
                    job = self._receive()
                    continue
                try:
                    job = with_grader(self._course, job["grade"], jail, functools.partial(self._serve, job))
                except UsageError as error:
                    self._send({"unusable": str(error)})
                    job = self._receive()

    def _serve(self, job: Job, grader: Grader) -> Job:
        """Do jobs until one asks for another assignment; return that one."""
        while job.get("grade", grader.assignment.name) == grader.assignment.name:
            self._answer(job, grader)
            job = self._receive()
        return job

    def _answer(self, job: Job, grader: Grader | None) -> None:
        try:
            if grader is not None and "grade" in job:
                answer: Answer = {"value": grade_staged(grader, job).to_record()}
            else:
                answer = {"value": _call(job)}
        except JailUnavailable:
            raise
        except Exception as error:  # a fault of ours with one submission must not cost the others
            answer = {"failed": f"{type(error).__name__}: {error}"}
        self._send(answer)

    def _receive(self) -> Job:
        job: Job = json.loads(self._connection.recv_bytes())
        return job

    def _send(self, answer: Answer) -> None:
        self._connection.send_bytes(json.dumps(answer).encode())


def grade_staged(grader: Grader, job: Job) -> Verdict:
    """Grade a copy of a submission under the name of the file that was handed in.

    Args:
        grader: of its assignment.
        job: what to grade.

    Returns:
        The verdict.
    """
    from headcheck.course.submission import read_or_stand_in, unreadable_submission

    if job["unusable"]:
        return grader.grade(unreadable_submission(grader.assignment, job["unusable"]), job["notebook"])
    if not Path(job["path"]).is_file():
        raise FileNotFoundError(job["path"])  # our own fault, and none of the student's
    verdict = grader.grade(read_or_stand_in(Path(job["path"]), grader.assignment), job["notebook"])
    return replace(verdict, notes=(job["note"], *verdict.notes)) if job["note"] else verdict


def _call(job: Job) -> Any:
    """Call a function of ours by name."""
    module, _colon, name = job["call"].partition(":")
    return getattr(importlib.import_module(module), name)(**job["with"])
