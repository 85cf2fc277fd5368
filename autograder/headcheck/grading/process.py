"""One student's process: runs the cells, answers calls, and is replaced when it hangs or dies."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from headcheck.course.config import RunLimits
from headcheck.course.submission import Submission, SubmittedCell
from headcheck.grading.verdict import CellOutput
from headcheck.i18n import _
from headcheck.jail.client import CellResult, Child, Jail
from headcheck.jail.errors import CallTimeout

T = TypeVar("T")

RERUN_SECONDS = 1.0
"""What a cell that ran into its deadline gets when a replaced process runs it again: time enough to define things."""


class StudentProcess:
    """Runs one submission in the jail."""

    def __init__(self, jail: Jail, submission: Submission, limits: RunLimits) -> None:
        """Prepare; nothing runs yet.

        Args:
            jail: where children come from.
            submission: the repaired submission.
            limits: time for cells and calls.
        """
        self._jail, self._submission, self._limits = jail, submission, limits
        self._deadline = time.monotonic() + limits.submission_seconds
        self._child: Child | None = None
        self._poison: set[int] = set()
        self._slow: set[int] = set()
        self.outputs: dict[int, CellOutput] = {}
        self.restarts = 0
        self.memory_mb: float | None = None
        """Most memory that one of its processes took of its own."""

    def start(self) -> None:
        """Run all cells. A cell that kills its process is left out when the others run again.

        Raises:
            JailUnavailable: no child could be had.
        """
        while self._child is None or not self._child.alive:
            if self._child is not None:
                self.restarts += 1
            self._close()
            self._child = self._jail.spawn()
            self._run_cells(self._child)
            if self._time_left() <= 0:
                return

    @property
    def alive(self) -> bool:
        """Whether it runs and can be asked; a hung or dead one is not started again for a hint."""
        return self._child is not None and self._child.alive

    def ask(self, request: Callable[[Child, float], T]) -> T:
        """Make one request of the student's process, which is started again when it is needed.

        Args:
            request: gets the child and the seconds that the request may take.

        Returns:
            What the request returns.

        Raises:
            StudentFailure: no value came back.
        """
        self.start()
        assert self._child is not None
        seconds = min(self._limits.call_seconds, self._time_left())
        if seconds <= 0:
            raise CallTimeout(_("the time for the whole submission was used up"))
        return request(self._child, seconds)

    def close(self) -> None:
        """End the process."""
        self._close()

    def _run_cells(self, child: Child) -> None:
        for index, cell in enumerate(self._submission.cells):
            if not cell.runs or index in self._poison:
                continue
            seconds = min(self._seconds_for(index, cell), self._time_left())
            if seconds <= 0:
                self.outputs.setdefault(index, _not_run(_("the time for the whole submission was used up")))
                continue
            result = child.run_cell(index, cell.source, seconds)
            self.outputs[index] = _output(result)
            if not child.alive:
                self._poison.add(index)
                return
            if result.timed_out:
                self._slow.add(index)

    def _seconds_for(self, index: int, cell: SubmittedCell) -> float:
        """A visible check gets the time of a call; a cell that hung once is run again only for its definitions."""
        if index in self._slow:
            return RERUN_SECONDS
        return self._limits.call_seconds if cell.kind == "tests" else self._limits.cell_seconds

    def _time_left(self) -> float:
        return self._deadline - time.monotonic()

    def _close(self) -> None:
        if self._child is not None:
            usage = self._child.close()
            self.memory_mb = max(self.memory_mb or 0.0, usage.own_mb)
            self._child = None


def _output(result: CellResult) -> CellOutput:
    if result.died is not None:
        name, message, traceback = _("process ended"), result.died, result.died
    elif result.error is not None:
        name, message, traceback = result.error.type_name, result.error.message, result.error.traceback
    else:
        name = message = traceback = ""
    return CellOutput(result.stdout, result.stderr, result.result, name, message, traceback)


def _not_run(reason: str) -> CellOutput:
    return CellOutput(error_name=_("not run"), error_message=reason, traceback=reason)
