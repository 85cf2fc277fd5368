"""Keeps the hidden tests of an assignment collected, so that they are ready for one submission after the other."""

from __future__ import annotations

import os
import queue
import threading
from concurrent.futures import Future
from pathlib import Path

from headcheck.course.config import Course
from headcheck.grading.grade import Grader, with_grader
from headcheck.grading.verdict import Verdict
from headcheck.jail.client import Jail


class OpenGrader:
    """A grader that stays open between nbgrader's notebooks.

    pytest holds its session inside one call, and nbgrader comes with one notebook at a time; so the call waits on a
    thread of its own.
    """

    def __init__(self, course: Course, assignment: str, jail: Jail) -> None:
        """Start collecting.

        Args:
            course: the course.
            assignment: the assignment.
            jail: where students' processes come from; nobody else may use it while a submission is graded.
        """
        self._requests: queue.SimpleQueue[tuple[Path, Future[Verdict]] | None] = queue.SimpleQueue()
        self._opened: Future[None] = Future()
        self._thread = threading.Thread(target=self._run, args=(course, assignment, jail), daemon=True)
        self._thread.start()

    def wait(self) -> None:
        """Wait until the hidden tests are collected.

        Raises:
            UsageError: the assignment is not complete.
        """
        self._opened.result()

    def grade_file(self, path: Path) -> Verdict:
        """Grade a notebook, as `Grader.grade_file`.

        Args:
            path: the submitted file.

        Returns:
            The verdict.

        Raises:
            UsageError: the assignment is not complete.
            JailUnavailable: the jail broke down; this says nothing about the submission.
        """
        self.wait()
        answer: Future[Verdict] = Future()
        self._requests.put((path, answer))
        return answer.result()

    def close(self) -> None:
        """End the thread; a submission that is being graded is finished first."""
        folder = os.getcwd()
        self._requests.put(None)
        self._thread.join()
        os.chdir(folder)  # pytest goes back to where it was started

    def _run(self, course: Course, assignment: str, jail: Jail) -> None:
        try:
            with_grader(course, assignment, jail, self._serve)
        except BaseException as error:
            if self._opened.done():
                raise
            self._opened.set_exception(error)

    def _serve(self, grader: Grader) -> None:
        self._opened.set_result(None)
        while (request := self._requests.get()) is not None:
            path, answer = request
            try:
                answer.set_result(grader.grade_file(path))
            except BaseException as error:
                answer.set_exception(error)
