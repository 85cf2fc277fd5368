"""The loop inside the jailed process: run cells, call functions and objects, get values.

Everything here shares its process with hostile code, so nothing it says is believed. It has to be robust only so that
an honest notebook with a mistake gets an answer instead of a dead process.
"""

import os
import signal
import socket
import sys
import tempfile
from types import FrameType
from typing import Any

from headcheck.jail import faults, wire
from headcheck.jail.errors import Unsendable
from headcheck.jail.kept import Kept, Reply, TracedFailure, unsendable, with_steps
from headcheck.jail.shell import JailShell

RESULT_LIMIT = 64 << 10

_own_modules: list[str] = []


class TimeLimit(BaseException):
    """Raised inside student code when its time is up; no `except Exception` catches it."""


class _Alarm:
    """Interrupts student code once, a little before the process would be killed from outside."""

    def __init__(self) -> None:
        self.armed = False

    def start(self, seconds: float) -> None:
        self.armed = True
        signal.signal(signal.SIGALRM, self._ring)
        signal.setitimer(signal.ITIMER_REAL, seconds)

    def stop(self) -> None:
        self.armed = False  # first, so that a signal that is already on its way does nothing
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _ring(self, number: int, frame: FrameType | None) -> None:
        if self.armed:
            self.armed = False
            raise TimeLimit


def prepare() -> None:
    """Note which modules are ours, once everything is imported and before any fork.

    To look through all of them in a child would have the kernel copy a thousand pages: reading counts references.
    """
    _own_modules[:] = [name for name in sys.modules if name.split(".")[0] == "headcheck"]


def serve(connection: socket.socket, shell: JailShell, home: str) -> None:
    """Answer requests until the other side hangs up.

    Args:
        connection: stream socket to the trusted process.
        shell: the shell whose namespace is the notebook's.
        home: the working folder.
    """
    _settle(shell, home)
    agent = _Agent(shell)
    while (request := _receive(connection)) is not None:
        header, payload = request
        for piece in _pack(header["id"], *agent.answer(header, payload)):
            connection.sendall(piece)


def _settle(shell: JailShell, home: str) -> None:
    """Give the notebook a surrounding like a kernel's: its `__main__`, output streams, variables, no trace of us."""
    sys.modules["__main__"] = shell.user_module
    sys.argv = [""]
    for name in _own_modules:
        del sys.modules[name]
    tempfile.tempdir = None  # it is chosen anew
    os.environ.clear()
    os.environ.update(
        HOME=home, TMPDIR=home, USER="student", PATH="/usr/bin:/bin", LC_ALL="C.UTF-8", MPLBACKEND="agg",
        OMP_NUM_THREADS="1", TORCHDYNAMO_DISABLE="1", NBGRADER_EXECUTION="autograde",
    )  # fmt: skip
    for number, name in ((1, "stdout"), (2, "stderr")):  # line by line, or a crash would lose what was printed
        stream = open(number, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    sys.setrecursionlimit(3000)  # Jupyter's


def _receive(connection: socket.socket) -> tuple[dict[str, Any], bytes] | None:
    prefix = _exactly(connection, wire.PREFIX.size)
    if prefix is None:
        return None
    header_length, payload_length = wire.lengths(prefix)
    header, payload = _exactly(connection, header_length), _exactly(connection, payload_length)
    if header is None or payload is None:
        return None
    return wire.parse_header(header), payload


def _exactly(connection: socket.socket, length: int) -> bytes | None:
    data = bytearray(length)
    done = 0
    while done < length:
        got = connection.recv_into(memoryview(data)[done:])
        if not got:
            return None
        done += got
    return bytes(data)


def _pack(number: int, answer: dict[str, Any], buffers: list[bytes]) -> list[bytes]:
    """Frame an answer; one that is larger than a frame becomes the news that it is."""
    try:
        return wire.frame({"id": number, **answer}, buffers)
    except Unsendable as error:
        return wire.frame({"id": number, **unsendable(error)}, [])


class _Agent:
    """Holds the shell and turns each request into an answer."""

    def __init__(self, shell: JailShell) -> None:
        self.shell = shell
        self.alarm = _Alarm()
        self.kept = Kept(shell.user_ns)

    def answer(self, header: dict[str, Any], payload: bytes) -> Reply:
        """Serve one request; whatever the student's code raises becomes part of the answer."""
        try:
            try:
                self.alarm.start(header["soft"])
                return self._serve(header, payload)
            finally:
                self.alarm.stop()
        except TracedFailure as failed:
            return with_steps((_failure(failed.error), []), failed.steps)
        except BaseException as error:
            return _failure(error), []
        finally:
            _flush()

    def _serve(self, header: dict[str, Any], payload: bytes) -> Reply:
        match header["op"]:
            case "cell":
                return self._cell(header["index"], header["source"])
            case "call":
                return self.kept.call(header, payload)
            case "gradients":
                return self.kept.gradients(header, payload)
            case "seed":
                return self.kept.seed(header, payload)
            case _:
                return self.kept.get(header, payload)

    def _cell(self, index: int, source: str) -> Reply:
        error, text = self.shell.run(index, source)
        if error is not None:
            return _failure(error), []
        return {"value": text[:RESULT_LIMIT]}, []


def _failure(error: BaseException) -> dict[str, Any]:
    try:
        described = faults.describe(error)
    except BaseException:  # a hostile exception object; builtins may be patched as well
        described = {"type": "Exception", "message": "", "cell": None, "line": None, "traceback": ""}
    return {"error": described, "late": isinstance(error, TimeLimit)}


def _flush() -> None:
    for name in ("stdout", "stderr"):
        try:
            getattr(sys, name).flush()
        except BaseException:  # it may be an object of the student's
            continue
