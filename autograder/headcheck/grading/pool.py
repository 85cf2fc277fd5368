"""A pool of workers that outlives their deaths: a worker that dies is replaced, its job is tried once more.

Why not `ProcessPoolExecutor`: there one dead worker breaks the whole pool, and does not say which job killed it.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import time
from collections import deque
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.forkserver import ensure_running
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Any, Self

from headcheck.course.config import Course
from headcheck.errors import UsageError
from headcheck.grading.worker import Answer, Job, work
from headcheck.i18n import _
from headcheck.jail.errors import JailUnavailable
from headcheck.jail.launcher import LIKELY, next_zygote
from headcheck.jail.linux import unsupported

TRIES = 2
"""How often a job may cost a worker its life."""

HANDED_DOWN = ("HEADCHECK_", "LANG", "LC_")
"""How variables begin that say how to grade; the process that forks workers may have been started before they were."""

START_S = 180.0
GRACE_S = 60.0
"""Time of the trusted side beyond what the submission may take twice over; then the worker counts as dead."""


@dataclass(eq=False)
class _Task:
    tag: Hashable
    job: Job
    deaths: int = 0


@dataclass(eq=False)
class _Member:
    """One worker process, and what it is doing."""

    process: BaseProcess
    connection: Connection
    until: float
    """When the job that it is doing, or its start, has taken too long."""
    tasks: deque[_Task] = field(default_factory=deque)
    """The job that it is doing, and one that it will do next without waiting for us."""
    ready: bool = False


class Pool:
    """Workers for one course; jobs go in by `submit`, answers come out of `collect`."""

    def __init__(
        self,
        course: Course,
        workers: int,
        grades: bool = True,
        likely: Sequence[str] = LIKELY,
        preload: Sequence[str] = (),
    ) -> None:
        """Have the process started that forks the workers; it gets ready while the caller goes on.

        Args:
            course: the course.
            workers: how many.
            grades: whether there will be anything to grade.
            likely: what submissions are likely to do, see `headcheck.jail.launcher.Zygote`.
            preload: modules that other jobs need, so that not every worker has to import them.

        Raises:
            JailUnavailable: this machine cannot confine student code.
        """
        self._course = course
        self._context = multiprocessing.get_context("forkserver")
        own = "headcheck.grading.warm" if grades else "headcheck.grading.worker"
        self._context.set_forkserver_preload([own, *preload])
        self._waiting: deque[_Task] = deque()
        self._done: list[tuple[Hashable, Answer]] = []
        self._zygote = None
        if workers and grades:
            if reason := unsupported():
                raise JailUnavailable(reason)
            self._zygote = next_zygote(likely)
        if workers:
            ensure_running()
        self._wanted = workers
        self._members: list[_Member] = []

    def submit(self, tag: Hashable, job: Job, first: bool = False) -> None:
        """Add a job.

        Args:
            tag: comes back with the answer.
            job: see `headcheck.grading.worker`.
            first: whether it goes before those that wait.
        """
        (self._waiting.appendleft if first else self._waiting.append)(_Task(tag, job))

    @property
    def hungry(self) -> bool:
        """Whether more jobs should be submitted, so that no worker has to wait for its next one."""
        return len(self._waiting) < 2 * self._wanted

    def collect(self, timeout: float) -> list[tuple[Hashable, Answer]]:
        """Wait for answers.

        Args:
            timeout: longest wait, in seconds.

        Returns:
            Tags and answers, none when nothing came in time. A job that its worker did not survive twice is answered
            by `{"failed": text}`.

        Raises:
            JailUnavailable: workers cannot be started, or their jails broke down.
            UsageError: the assignment is not complete.
        """
        self._hand_out()
        handles: dict[Any, _Member] = {m.connection: m for m in self._members}
        handles |= {m.process.sentinel: m for m in self._members}
        for member in dict.fromkeys(handles[handle] for handle in wait(list(handles), timeout)):
            self._hear(member)
        for member in self._members:
            if (member.tasks or not member.ready) and time.monotonic() > member.until:
                member.process.kill()
        self._hand_out()
        done, self._done = self._done, []
        return done

    def close(self) -> None:
        """End all workers."""
        if self._zygote is not None:
            self._zygote.close()
        for member in self._members:
            member.connection.close()
        for member in self._members:
            member.process.join(0 if member.tasks else 10)
            if member.process.is_alive():
                member.process.kill()
                member.process.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _start(self) -> _Member:
        ours, theirs = self._context.Pipe()
        environment = {name: value for name, value in os.environ.items() if name.startswith(HANDED_DOWN)}
        zygote = self._zygote.twin() if self._zygote is not None else None
        arguments = (theirs, str(self._course.root), environment, zygote)
        process = self._context.Process(target=work, args=arguments, daemon=True)
        process.start()
        theirs.close()
        if zygote is not None:
            zygote.control.close()
        return _Member(process, ours, time.monotonic() + START_S)

    def _hand_out(self) -> None:
        while len(self._members) < self._wanted:
            self._members.append(self._start())
        for member in self._members:
            if self._waiting and not member.tasks:
                self._send(member)
        for member in self._members:  # while there are plenty, or one would wait for a worker while another idles
            if len(self._waiting) >= self._wanted and len(member.tasks) == 1:
                self._send(member)

    def _send(self, member: _Member) -> None:
        """Give a worker its next job; jobs are small, so this waits for nobody."""
        if not member.process.is_alive():
            return
        member.tasks.append(self._waiting.popleft())
        if len(member.tasks) == 1:
            member.until = time.monotonic() + self._seconds(member) + (0 if member.ready else START_S)
        with contextlib.suppress(OSError):  # it died this moment: `collect` will see it
            member.connection.send_bytes(json.dumps(member.tasks[-1].job).encode())

    def _seconds(self, member: _Member) -> float:
        """How long a worker's job may take before it counts as dead."""
        job = member.tasks[0].job
        limits = self._course.limits_for(job["grade"]) if "grade" in job else None
        return GRACE_S + (2 * limits.submission_seconds if limits is not None else 0)

    def _hear(self, member: _Member) -> None:
        """Take what a worker said, or that it died."""
        try:
            said = json.loads(member.connection.recv_bytes()) if member.connection.poll() else None
        except (EOFError, OSError):
            said = None
        if said is None:
            self._bury(member)
        elif "unavailable" in said:
            raise JailUnavailable(said["unavailable"])
        elif "unusable" in said:
            raise UsageError(said["unusable"])
        elif "ready" in said:
            member.ready = True
        elif member.tasks:
            self._settle(member.tasks.popleft(), said)
            if member.tasks:
                member.until = time.monotonic() + self._seconds(member)

    def _settle(self, task: _Task, answer: Answer) -> None:
        """Pass an answer on; a job that failed by a fault of ours is tried once more."""
        task.deaths += "failed" in answer
        if "failed" in answer and task.deaths < TRIES:
            self._waiting.appendleft(task)
        else:
            self._done.append((task.tag, answer))

    def _bury(self, member: _Member) -> None:
        member.process.kill()  # it hung up at least
        member.process.join()
        member.connection.close()
        if not member.ready:
            raise JailUnavailable(
                _("a worker process ended before it was ready (exit status {status})").format(
                    status=member.process.exitcode
                )
            )
        self._waiting.extendleft(reversed([*member.tasks][1:]))  # it had not begun with these
        if member.tasks:
            self._settle(member.tasks[0], {"failed": _("its worker process ended")})
        self._members[self._members.index(member)] = self._start()
