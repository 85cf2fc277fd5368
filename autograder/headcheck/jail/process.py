"""The supervisor of a child as the trusted process sees it: ends the child, and tells how it ended."""

import contextlib
import json
import os
import select
import signal
from typing import Any, BinaryIO

from headcheck.i18n import N_, _
from headcheck.jail.channel import wait_for
from headcheck.jail.results import Limits

END_S = 5.0

EXITED = N_("exited")
MEMORY = N_("memory limit")
PROCESSOR = N_("processor time limit")
DISK = N_("disk limit")
DEADLINE = N_("deadline")
VIOLATION = N_("protocol violation")
SIGNAL = N_("killed by signal {number}")


class Process:
    """The supervisor of a child: ends it, and learns from it how the child ended.

    Args:
        handle: a pidfd of the supervisor.
        status: the pipe on which it reports.
        limits: what the child may use.
        remains: removes what is left of a child once it has ended.
    """

    def __init__(self, handle: int, status: BinaryIO, limits: Limits, remains: contextlib.ExitStack) -> None:
        self._handle = handle
        self._status = status
        self._limits = limits
        self._remains = remains
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
            if (report := self.report(END_S)) is not None:
                break
        wait_for(self._handle, select.POLLIN, END_S)  # readable once the supervisor itself is gone
        os.close(self._handle)
        self._status.close()
        self._remains.close()
        return report or {}

    def reason(self, report: dict[str, Any]) -> str:
        """Say in a phrase why a child ended by itself."""
        if report.get("filled"):
            return DISK
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
        return _(SIGNAL).format(number=-code)  # the others are looked up where they are shown
