"""What the jail hands back: how a cell went, what a child used, and the limits it was given."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Limits of one child.

    Attributes:
        memory_mb: memory beyond what Python with torch needs, MB.
        cpu_s: processor time of all its cells and calls together, seconds.
        file_mb: largest file, MB.
        tmp_mb: size of the writable folders /tmp and /dev/shm, MB each; without a private root of the working folder.
        threads: most threads at a time (other processes it can never start).
    """

    memory_mb: int = 1024
    cpu_s: int = 300
    file_mb: int = 16
    tmp_mb: int = 32
    threads: int = 64


@dataclass(frozen=True)
class CellError:
    """How a cell failed: claims of the student's process, safe to print.

    Attributes:
        type_name: class of the exception.
        message: its text, bounded.
        line: line in the cell, counted from 1, or None.
        traceback: a short traceback through the student's cells only.
        cell: index of the cell that `line` is in; an earlier one when its function failed.
    """

    type_name: str
    message: str
    line: int | None
    traceback: str
    cell: int | None = None


@dataclass(frozen=True)
class CellResult:
    """How one cell went.

    Attributes:
        ok: it ended without an exception. A claim: it is worth no points.
        error: what ended it, when the child could say so.
        stdout: what it printed, bounded, control characters removed.
        stderr: the same for the error stream.
        result: plain text of the last expression, "" when there was none.
        timed_out: its deadline passed.
        died: why the child is dead now, None while it lives.
    """

    ok: bool
    error: CellError | None = None
    stdout: str = ""
    stderr: str = ""
    result: str = ""
    timed_out: bool = False
    died: str | None = None


@dataclass(frozen=True)
class Usage:
    """What a child used.

    Attributes:
        cpu_s: processor time, seconds.
        max_rss_mb: largest resident memory, MB, the shared part of some 250 MB included.
        own_mb: the same without what it started with, MB.
        reason: "" when it was alive until closed, else "memory limit", "processor time limit", "disk limit",
            "deadline", "protocol violation", "exited" or "killed by signal N".
    """

    cpu_s: float
    max_rss_mb: float
    own_mb: float
    reason: str
