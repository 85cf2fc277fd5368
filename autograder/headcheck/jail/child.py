"""One jailed child as the trusted process sees it: requests, answers checked for their form, and its end."""

import contextlib
import json
import os
import select
import signal
import time
from dataclasses import replace
from types import TracebackType
from typing import Any, BinaryIO, Self

from headcheck.i18n import N_, _
from headcheck.jail import answers, wire
from headcheck.jail.answers import Answer
from headcheck.jail.channel import OUTPUT_LIMIT, Channel, Ended, Late, wait_for
from headcheck.jail.errors import (
    CallTimeout,
    ChildDied,
    JailUnavailable,
    NotDefined,
    ProtocolViolation,
    StudentError,
    Unsendable,
)
from headcheck.jail.results import CellError, CellResult, Limits, Usage
from headcheck.jail.wire import clean

_READY_S = 30.0
_END_S = 5.0
# The cell or call alone is interrupted this much before the child would be killed, in the later of two moments.
_SOFT_MARGIN_S = 0.5
_SOFT_SHARE = 0.75

EXITED = N_("exited")
MEMORY = N_("memory limit")
PROCESSOR = N_("processor time limit")
DEADLINE = N_("deadline")
VIOLATION = N_("protocol violation")
SIGNAL = N_("killed by signal {number}")


class Process:
    """The supervisor of a child: ends it, and learns from it how the child ended."""

    def __init__(self, handle: int, status: BinaryIO, limits: Limits) -> None:
        self._handle = handle
        self._status = status
        self._limits = limits
        self._report: dict[str, Any] | None = None
        self.start_rss_mb = 0.0

    def report(self, wait_s: float) -> dict[str, Any] | None:
        """Return the supervisor's report, or None when it does not come in time."""
        if self._report is None and wait_for(self._status.fileno(), select.POLLIN, wait_s):
            text = self._status.read(1 << 16)
            self._report = json.loads(text) if text else {}
        return self._report

    def kill(self, number: int = signal.SIGTERM) -> None:
        """Have the child killed: SIGTERM makes the supervisor do it and report, SIGKILL ends both without a report."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, number)

    def end(self) -> dict[str, Any]:
        """Kill the child, wait until it is gone, and return the report ({} when there is none)."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            self.kill(number)
            if (report := self.report(_END_S)) is not None:
                break
        wait_for(self._handle, select.POLLIN, _END_S)  # readable once the supervisor itself is gone
        os.close(self._handle)
        self._status.close()
        return report or {}

    def reason(self, report: dict[str, Any]) -> str:
        """Say in a phrase why a child ended by itself."""
        code = int(report.get("exit", -signal.SIGKILL))
        if code >= 0:
            return EXITED
        # The limit counts clock ticks and the report exact time, so that they differ on a busy machine.
        if code == -signal.SIGKILL and float(report.get("cpu_s", 0.0)) > 0.7 * self._limits.cpu_s:
            return PROCESSOR
        used_mb = float(report.get("max_rss_mb", 0.0)) - self.start_rss_mb
        # The kernel out of memory sends SIGKILL, and a failed allocation may crash in other ways.
        if used_mb > 0.5 * self._limits.memory_mb:
            return MEMORY
        return SIGNAL.format(number=-code)


class Child:
    """A jailed process that runs a notebook's cells and answers calls. Use it as a context manager.

    Attributes:
        alive: whether it can still be asked something.
        open: whether `close` has not been called yet.
    """

    def __init__(self, channel: Channel, process: Process) -> None:
        self._channel = channel
        self._process = process
        self._usage: Usage | None = None
        self._reason = ""
        self.alive = True

    @property
    def open(self) -> bool:
        """Whether `close` has not been called yet."""
        return self._usage is None

    def await_lockdown(self) -> None:
        """Wait for the child's first frame, which it sends before it sees any student code.

        Raises:
            JailUnavailable: it could not be locked down.
        """
        try:
            header, _payload = self._channel.receive(time.monotonic() + _READY_S)
            reason = str(header["reason"])
            self._process.start_rss_mb = float(header["rss_mb"])
        except (Late, Ended, ProtocolViolation):
            reason = (self._process.report(1.0) or {}).get("setup", _("it ended before it was ready"))
        if reason:
            self.close()
            raise JailUnavailable(_("a child could not be locked down: {reason}").format(reason=clean(reason)))

    def run_cell(self, index: int, source: str, deadline_s: float) -> CellResult:
        """Run one notebook cell; its own failure is reported in the result, not raised.

        Args:
            index: the cell's index in the notebook, used in tracebacks.
            source: its text.
            deadline_s: seconds until the child is killed; a little earlier the cell alone is interrupted.

        Returns:
            How it went.
        """
        if not self.alive:
            return CellResult(ok=False, died=self._reason or EXITED)
        try:
            answer = self._ask({"op": "cell", "index": index, "source": source}, [], deadline_s)
        except Unsendable as error:  # the source itself is too long
            return CellResult(ok=False, error=CellError(type(error).__name__, str(error), None, str(error)))
        except CallTimeout:
            return self._cell_result(ok=False, timed_out=True)
        except (ChildDied, ProtocolViolation):
            return self._cell_result(ok=False)
        if answer.error is not None:
            told = replace(answer.error, message=_late_text(deadline_s)) if answer.late else answer.error
            return self._cell_result(ok=False, error=told, timed_out=answer.late)
        return self._cell_result(ok=True, result=clean(str(answer.value), OUTPUT_LIMIT))

    def call(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], deadline_s: float) -> Any:
        """Call a function that the notebook defined.

        Args:
            name: its name.
            args: positional arguments, of the kinds that `wire.encode` takes.
            kwargs: named arguments.
            deadline_s: seconds until the child is killed; a little earlier the call alone is interrupted.

        Returns:
            What it returned, rebuilt from plain data: never an object of the student's.

        Raises:
            StudentFailure: one of its subclasses; Unsendable also for an argument.
        """
        tree, buffers = wire.encode((tuple(args), dict(kwargs)))
        return self._value_of({"op": "call", "name": name, "value": tree}, buffers, deadline_s)

    def get(self, name: str, deadline_s: float) -> Any:
        """Return the value of a variable of the notebook; arguments and errors as for `call`."""
        return self._value_of({"op": "get", "name": name}, [], deadline_s)

    def close(self) -> Usage:
        """End the child, whatever it is doing; nothing of it survives. Calling it again returns the same.

        Returns:
            What it used and, if it died earlier, why.
        """
        if self._usage is None:
            self.alive = False
            self._channel.close()
            report = self._process.end()
            self._usage = Usage(
                cpu_s=float(report.get("cpu_s", 0.0)),
                max_rss_mb=float(report.get("max_rss_mb", 0.0)),
                reason=self._reason,
            )
        return self._usage

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _value_of(self, request: dict[str, Any], buffers: list[bytes], deadline_s: float) -> Any:
        answer = self._ask(request, buffers, deadline_s)
        if answer.missing:
            raise NotDefined(_("the notebook does not define {name}").format(name=request["name"]))
        if answer.unsendable is not None:
            raise answer.unsendable
        if answer.error is None:
            return answer.value
        if answer.late:
            raise CallTimeout(_late_text(deadline_s))
        raise StudentError(answer.error.type_name, answer.error.message, answer.error.cell, answer.error.line)

    def _ask(self, request: dict[str, Any], buffers: list[bytes], deadline_s: float) -> Answer:
        """Send a request and read its answer; a child that breaks a rule or the deadline is killed."""
        if not self.alive:
            raise ChildDied(self._reason or EXITED)
        deadline = time.monotonic() + deadline_s
        soft = max(deadline_s - _SOFT_MARGIN_S, _SOFT_SHARE * deadline_s)
        try:
            header, payload = self._channel.request({**request, "soft": soft}, buffers, deadline)
            return answers.parse(header, payload)
        except Late:
            self._kill(DEADLINE)
            raise CallTimeout(_late_text(deadline_s)) from None
        except Ended:
            self._kill(self._own_end())
            raise ChildDied(self._reason) from None
        except ProtocolViolation:
            self._kill(VIOLATION)
            raise

    def _own_end(self) -> str:
        report = self._process.report(_END_S)
        return EXITED if report is None else self._process.reason(report)

    def _kill(self, reason: str) -> None:
        self.alive = False
        self._reason = reason
        self._process.kill()

    def _cell_result(
        self, *, ok: bool, error: CellError | None = None, result: str = "", timed_out: bool = False
    ) -> CellResult:
        return CellResult(
            ok=ok,
            error=error,
            stdout=self._channel.stdout.text(),
            stderr=self._channel.stderr.text(),
            result=result,
            timed_out=timed_out,
            died=None if self.alive else self._reason,
        )


def _late_text(deadline_s: float) -> str:
    return _("it took longer than {seconds:g} s").format(seconds=deadline_s)
