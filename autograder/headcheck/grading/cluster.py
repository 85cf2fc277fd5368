"""Grades on the workers of a Dask scheduler, on other machines maybe; takes jobs and gives answers as a pool does.

A worker that dies is Dask's to notice: it gives the job to another one, and gives up a job that killed several.
"""

from __future__ import annotations

import json
import multiprocessing
import queue
import tempfile
import threading
import uuid
from collections.abc import Hashable
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from headcheck.course.config import Course, load_course
from headcheck.errors import UsageError
from headcheck.grading.versions import course_version, grader_version, versions
from headcheck.grading.worker import Answer, Job, Worker
from headcheck.i18n import _
from headcheck.jail.errors import JailUnavailable

if TYPE_CHECKING:
    from distributed import Future

CONNECT_S = 15
AHEAD = 3
"""How many submissions wait for each thread of the cluster, so that none is idle."""


class Cluster:
    """The workers of one scheduler."""

    def __init__(self, course: Course, address: str) -> None:
        """Connect, and make sure that all workers grade as this machine would.

        Args:
            course: the course; it must lie in the same folder on every machine.
            address: of the scheduler, such as `tcp://lab1:8786`.

        Raises:
            UsageError: Dask is not installed, nobody answers, there are no workers, or they have other versions.
        """
        try:
            from distributed import Client
        except ImportError as error:
            raise UsageError(_("--dask needs Dask: pip install {extra}").format(extra='"headcheck[dask]"')) from error
        self._course = course
        self._answers: queue.SimpleQueue[tuple[Hashable, Future]] = queue.SimpleQueue()
        self._waiting = 0
        try:
            self._client = Client(address, timeout=CONNECT_S, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise UsageError(_("--dask {address}: no scheduler answers").format(address=address)) from error
        self._threads = self._check(address)

    def submit(self, tag: Hashable, job: Job, first: bool = False) -> None:
        """Add a job of grading; see `Pool.submit`."""
        data = Path(job["path"]).read_bytes()
        key = f"headcheck-{uuid.uuid4().hex}"
        future = self._client.submit(grade_here, str(self._course.root), job, data, key=key, pure=False)
        self._waiting += 1
        future.add_done_callback(lambda done: self._answers.put((tag, done)))

    @property
    def hungry(self) -> bool:
        """Whether more jobs should be submitted."""
        return self._waiting < AHEAD * self._threads

    def collect(self, timeout: float) -> list[tuple[Hashable, Answer]]:
        """Wait for answers; see `Pool.collect`."""
        done: list[tuple[Hashable, Answer]] = []
        try:
            while not done or not self._answers.empty():
                tag, future = self._answers.get(timeout=timeout)
                done.append((tag, self._answer(future)))
        except queue.Empty:
            pass
        return done

    def close(self) -> None:
        """Leave the scheduler; its workers stay."""
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _answer(self, future: Future) -> Answer:
        self._waiting -= 1
        error = future.exception() if future.status == "error" else None
        answer: Answer = future.result() if error is None else {"failed": f"{type(error).__name__}: {error}"}
        future.release()
        if isinstance(error, JailUnavailable):
            raise error
        if "unavailable" in answer:
            raise JailUnavailable(answer["unavailable"])
        if "unusable" in answer:
            raise UsageError(answer["unusable"])
        return answer

    def _check(self, address: str) -> int:
        """Compare the workers' versions with ours; return how many threads they have."""
        found = self._client.run(describe, str(self._course.root))
        if not found:
            raise UsageError(_("--dask {address}: the scheduler has no workers").format(address=address))
        ours = describe(str(self._course.root))
        for worker, theirs in found.items():
            other = [f"{name} {theirs.get(name)} / {ours[name]}" for name in ours if theirs.get(name) != ours[name]]
            if other:
                raise UsageError(
                    _("--dask: worker {worker} is not as this machine: {differences}").format(
                        worker=worker, differences=", ".join(other)
                    )
                )
        return sum(self._client.nthreads().values())


def describe(root: str) -> dict[str, str]:
    """Tell what grades on this machine.

    Args:
        root: folder of the course.

    Returns:
        Versions, and a short hash of the course with its hidden tests; `error` when there is no such course.
    """
    try:
        course = load_course(Path(root))
        graders = "".join(grader_version(course, n)[:8] + course_version(course, n)[:8] for n in course.assignments)
    except (UsageError, OSError) as error:
        graders = str(error)
    return {**versions(), "course": graders[:64]}


_lock = threading.Lock()
_link: dict[str, Connection] = {}


def grade_here(root: str, job: Job, data: bytes) -> Answer:
    """Grade one submission inside a Dask worker, which keeps jail and hidden tests from one to the next.

    Args:
        root: folder of the course on this machine.
        job: see `headcheck.grading.worker`.
        data: the notebook; the file that the job names lies on another machine.

    Returns:
        The answer.
    """
    with _lock, tempfile.NamedTemporaryFile(prefix="headcheck-", suffix=".ipynb") as copy:
        copy.write(data)
        copy.flush()
        connection = _link.get(root) or _worker(root)
        try:
            connection.send_bytes(json.dumps(job | {"path": copy.name}).encode())
            answer: Answer = json.loads(connection.recv_bytes())
        except (EOFError, OSError):
            del _link[root]  # its thread has ended; the next job starts another
            raise
        return answer


def _worker(root: str) -> Connection:
    """Start a thread that grades; pytest, which hosts the hidden tests, wants to have it for good."""
    ours, theirs = multiprocessing.Pipe()
    worker = Worker(theirs, load_course(Path(root)), grades=True)
    threading.Thread(target=worker.run, daemon=True).start()
    ready = json.loads(ours.recv_bytes())
    if "unavailable" in ready:
        raise JailUnavailable(ready["unavailable"])
    _link[root] = ours
    return ours
