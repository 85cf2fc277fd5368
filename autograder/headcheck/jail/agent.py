"""The loop inside the jailed process: run a cell, call a function by name, get a variable by name.

Everything here shares its process with hostile code, so nothing it says is believed. It has to be robust only so that
an honest notebook with a mistake gets an answer instead of a dead process.
"""

import os
import signal
import socket
import sys
from types import FrameType
from typing import Any

from headcheck.jail import faults, wire
from headcheck.jail.errors import Unsendable
from headcheck.jail.shell import JailShell

RESULT_LIMIT = 64 << 10


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
    for name in [name for name in sys.modules if name.split(".")[0] == "headcheck"]:
        del sys.modules[name]
    os.environ.clear()
    os.environ.update(
        HOME=home, TMPDIR=home, USER="student", PATH="/usr/bin:/bin", LC_ALL="C.UTF-8", MPLBACKEND="agg",
        OMP_NUM_THREADS="1", TORCHDYNAMO_DISABLE="1",
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
        return wire.frame({"id": number, **_unsendable(error)}, [])


class _Agent:
    """Holds the shell and turns each request into an answer."""

    def __init__(self, shell: JailShell) -> None:
        self.shell = shell
        self.alarm = _Alarm()

    def answer(self, header: dict[str, Any], payload: bytes) -> tuple[dict[str, Any], list[bytes]]:
        """Serve one request; whatever the student's code raises becomes part of the answer."""
        try:
            try:
                self.alarm.start(header["soft"])
                return self._serve(header, payload)
            finally:
                self.alarm.stop()
        except BaseException as error:
            return _failure(error), []
        finally:
            _flush()

    def _serve(self, header: dict[str, Any], payload: bytes) -> tuple[dict[str, Any], list[bytes]]:
        match header["op"]:
            case "cell":
                return self._cell(header["index"], header["source"])
            case "call":
                return self._call(header["name"], *wire.decode(header["value"], payload))
            case _:
                return self._get(header["name"])

    def _cell(self, index: int, source: str) -> tuple[dict[str, Any], list[bytes]]:
        error, text = self.shell.run(index, source)
        if error is not None:
            return _failure(error), []
        return {"value": text[:RESULT_LIMIT]}, []

    def _call(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[dict[str, Any], list[bytes]]:
        function = self._find(name)
        if not callable(function):
            return {"missing": True}, []
        return self._send(function(*args, **kwargs))

    def _get(self, name: str) -> tuple[dict[str, Any], list[bytes]]:
        value = self._find(name)
        return ({"missing": True}, []) if value is _ABSENT else self._send(value)

    def _find(self, name: str) -> Any:
        """Look a name up among what the notebook itself defined."""
        return self.shell.user_ns.get(name, _ABSENT)

    def _send(self, value: object) -> tuple[dict[str, Any], list[bytes]]:
        try:
            tree, buffers = wire.encode(value)
        except Unsendable as error:
            return _unsendable(error), []
        return {"value": tree}, buffers


_ABSENT = object()


def _unsendable(error: Unsendable) -> dict[str, Any]:
    return {"unsendable": [error.code, error.detail[:200]]}


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
