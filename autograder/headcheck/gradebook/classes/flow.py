"""Carries a class run out: workers make verdicts, the store keeps them, one writer enters them, workers write pages.

Whatever is interrupted, a further run goes on: a verdict is on disk before it is entered, it is entered before the
pages are written, and what was entered is remembered last.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import threading
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from headcheck.course.assignment import load_assignment
from headcheck.gradebook.address import check_database
from headcheck.gradebook.classes.run import ClassResult, ClassRun, One, Survey
from headcheck.gradebook.classes.staging import take
from headcheck.gradebook.classes.standing import Standing, grades_in
from headcheck.gradebook.mend import mend_nbgrader
from headcheck.grading.store import Kept
from headcheck.grading.verdict import TaskVerdict, Verdict, verdict_of
from headcheck.grading.versions import versions
from headcheck.grading.worker import Answer, Job
from headcheck.i18n import _
from headcheck.temporary import OwnFolder

if TYPE_CHECKING:
    from headcheck.gradebook.classes.ledger import Entry, Ledger

BATCH = 40
"""How many verdicts are entered in one transaction, at most."""

BATCH_S = 0.5
"""How long a verdict may wait for that."""

WRITE_PAGES = "headcheck.report.pages:write_pages"
"""By name: what people read is made in a room to the right of this one, and in the workers."""


class Workers(Protocol):
    """What takes jobs and gives answers, such as a `Pool`."""

    def submit(self, tag: Any, job: Job, first: bool = False) -> None:
        """Add a job."""

    @property
    def hungry(self) -> bool:
        """Whether more jobs would be good."""

    def collect(self, timeout: float) -> list[tuple[Any, Answer]]:
        """Wait for answers."""


class Flow:
    """One assignment's way through the workers."""

    def __init__(self, run: ClassRun, survey: Survey, makers: Workers, writers: Workers | None) -> None:
        """Prepare.

        Args:
            run: the run.
            survey: what is to be done.
            makers: who grades.
            writers: who writes pages; None to make verdicts only.
        """
        self._run, self._makers, self._writers = run, makers, writers
        self._to_grade = deque(survey.to_grade)
        self._to_enter = list(survey.to_enter) if writers is not None else []
        self._since = time.monotonic()
        self._under_way: dict[tuple[str, str], One] = {}
        self._written: list[tuple[One, dict[str, list[int]]]] = []
        self._staging = Path()
        self._numbers = itertools.count()
        self._ledger: Ledger | None = None
        self.result = ClassResult(run.assignment)
        self.result.feedback = Path(run.places.folder(run.places.feedback, ".", "."))
        for one in (*survey.standing, *survey.to_enter):
            self._tell(one)
        for one in survey.standing:
            run.watch.entered(one.handed.student)

    def carry_out(self) -> ClassResult:
        """Do everything that is to be done.

        Returns:
            What came of it.

        Raises:
            JailUnavailable: student code cannot be run here.
            UsageError: the assignment is not complete, or the gradebook refuses it.
        """
        with contextlib.closing(OwnFolder("staging")) as folder, ThreadPoolExecutor(1, initializer=_step_back) as aside:
            self._staging = folder.path
            self._feed()
            loading = None
            if self._writers is not None and (self._to_enter or self._under_way):
                loading = aside.submit(_load_nbgrader)
            try:
                self._loop(loading)
                if self._writers is not None and self._ledger is None:
                    self.result.database = check_database(self._run.places.database)
            finally:
                if self._ledger is not None:
                    self._ledger.close()
        return self.result

    def _loop(self, loading: Future[None] | None) -> None:
        while self._to_grade or self._to_enter or self._under_way:
            self._feed()
            if self._ledger is None and loading is not None and loading.done():
                loading.result()
                self._ledger = self._open_ledger()
            self._enter_when_due()
            for workers in dict.fromkeys((self._makers, self._writers)):
                for tag, answer in workers.collect(0.1) if workers is not None else ():
                    self._take_in(tag, self._under_way.pop(tag), answer)
            if not self._under_way or len(self._written) >= BATCH:
                self._remember()

    def _open_ledger(self) -> Ledger:
        from headcheck.gradebook.classes.ledger import open_ledger

        self.result.database = check_database(self._run.places.database)
        return open_ledger(self._run.config, self._run.course, self._run.assignment)

    def _feed(self) -> None:
        """Give the workers submissions, as many as they can use."""
        while self._to_grade and self._makers.hungry:
            one = self._to_grade.popleft()
            job = {
                "grade": self._run.assignment,
                "path": str(self._copy(one)),
                "notebook": str(one.handed.path),
                "unusable": one.unusable,
                "note": one.handed.note,
            }
            self._submit(self._makers, "grade", one, job)

    def _copy(self, one: One) -> Path:
        """Lay down a copy for the workers; students may hand in anew while this runs."""
        taken = take(one.handed)
        one.key, one.timestamp, one.unusable = self._run.key_of(taken), taken.timestamp, taken.unusable
        one.copy = self._staging / f"{next(self._numbers)}.ipynb"  # not by its key: students hand in the same bytes
        one.copy.write_bytes(taken.data)
        return one.copy

    def _forget_copy(self, one: One) -> None:
        if one.copy is not None:
            one.copy.unlink()
            one.copy = None

    def _submit(self, workers: Workers, kind: str, one: One, job: Job, first: bool = False) -> None:
        tag = (kind, one.handed.student)
        self._under_way[tag] = one
        workers.submit(tag, job, first)

    def _take_in(self, tag: tuple[str, str], one: One, answer: Answer) -> None:
        if tag[0] == "grade":
            self._judged(one, answer)
            return
        self._forget_copy(one)
        if "failed" in answer:
            self._give_up(one, answer["failed"])
        elif answer["value"] is None:
            self._give_up(one, _("it was handed in anew meanwhile; run this once more"))
        else:
            self._written.append((one, answer["value"]))
            self._run.watch.entered(one.handed.student)

    def _judged(self, one: One, answer: Answer) -> None:
        """Keep a verdict; a submission that the grader did not survive twice gets one that says so."""
        verdict = verdict_of(answer["value"]) if "value" in answer else self._poisoned(one, answer["failed"])
        self._run.store.put(one.handed.student, Kept(one.key, versions(), verdict))
        one.verdict = replace(verdict, outputs={})
        self.result.fresh += 1
        if one.before is not None and one.before != one.verdict.score:
            self.result.changed[one.handed.student] = one.before, one.verdict.score
        self._tell(one)
        if self._writers is not None:
            self._to_enter.append(one)
        else:
            self._forget_copy(one)

    def _poisoned(self, one: One, reason: str) -> Verdict:
        message = _("The grader itself failed more than once on this notebook ({reason}); please tell your instructor.")
        assignment = load_assignment(self._run.course, self._run.assignment)
        tasks = (
            TaskVerdict(task.name, 0, task.points, "error", message.format(reason=reason)) for task in assignment.tasks
        )
        return Verdict(str(one.handed.path), assignment.name, 0, assignment.max_score, "none", tuple(tasks))

    def _tell(self, one: One) -> None:
        student, verdict = one.handed.student, _verdict(one)
        self.result.verdicts[student] = verdict
        self._run.watch.graded(student, verdict)

    def _enter_when_due(self) -> None:
        """Enter what has been judged, many at once, then have the pages written."""
        waited = time.monotonic() - self._since
        idle = not any(kind == "grade" for kind, _student in self._under_way)
        if self._ledger is None or not self._to_enter or not (idle or waited > BATCH_S or len(self._to_enter) >= BATCH):
            return
        batch, self._to_enter = self._to_enter[:BATCH], self._to_enter[BATCH:]
        for one, entry in self._entries(self._ledger, batch):
            self._write(self._ledger, one, entry)
        self._since = time.monotonic()

    def _entries(self, ledger: Ledger, batch: Sequence[One]) -> list[tuple[One, Entry]]:
        try:
            with ledger.one_transaction():
                found = [(one, self._entered(ledger, one)) for one in batch]
                new = [one for one, entry in found if entry is None]
                entries = ledger.enter([(one.handed.student, _verdict(one), one.timestamp) for one in new])
                known = [(one, entry) for one, entry in found if entry is not None]
                return [*known, *zip(new, entries, strict=True)]
        except Exception as error:
            if len(batch) == 1:
                self._give_up(batch[0], str(error).strip().splitlines()[0])
                return []
            return [pair for one in batch for pair in self._entries(ledger, [one])]  # find out which one it is

    def _entered(self, ledger: Ledger, one: One) -> Entry | None:
        """Read a verdict that the gradebook has already: what a person did there since is left as it is."""
        student, standing = one.handed.student, self._run.record.students.get(one.handed.student)
        if standing is None or (standing.key, standing.timestamp) != (one.key, one.timestamp):
            return None
        return ledger.entry(student, _verdict(one))

    def _write(self, ledger: Ledger, one: One, entry: Entry) -> None:
        assert self._writers is not None
        path = one.copy or self._copy(one)
        job = {
            "root": str(self._run.course.root),
            "assignment": self._run.assignment,
            "student": one.handed.student,
            "taken": {"path": str(path), "unusable": one.unusable, "timestamp": one.timestamp},
            "verdict": {"path": str(self._run.store.path(one.handed.student)), "key": one.key},
            "entry": asdict(entry),
            "marks": ledger.marks,
            "steps": ledger.layout.steps(one.handed.student),
            "beside": ledger.layout.beside,
        }
        self._submit(self._writers, "write", one, {"call": WRITE_PAGES, "with": job}, first=True)

    def _give_up(self, one: One, reason: str) -> None:
        """Leave no old score standing where the new one could not be entered."""
        self._forget_copy(one)
        student = one.handed.student
        self.result.not_entered[student] = reason
        self._run.record.students.pop(student, None)
        if self._ledger is not None:
            self._ledger.take_back(student)

    def _remember(self) -> None:
        """Note what was entered, now that gradebook and pages are there."""
        if not self._written:
            return
        places, students = self._run.places, [one.handed.student for one, _files in self._written]
        grades = grades_in(places.database, self._run.assignment, students) or {}
        for one, files in self._written:
            student, paths = (
                one.handed.student,
                {os.path.relpath(path, self._run.folder): files[path] for path in files},
            )
            self._run.record.students[student] = Standing(one.key, one.timestamp, grades.get(student, ""), paths)
        self._written = []
        self._run.record.source = self._run.source()
        self._run.record.save()


def _verdict(one: One) -> Verdict:
    assert one.verdict is not None
    return one.verdict


def _step_back() -> None:
    """Let this thread use what others leave: the processes that grade load torch at the same time."""
    with contextlib.suppress(OSError):  # only Linux gives each thread a priority of its own
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)


def _load_nbgrader() -> None:
    mend_nbgrader()
    from sqlalchemy.orm import configure_mappers

    import headcheck.gradebook.classes.ledger  # noqa: F401

    configure_mappers()
