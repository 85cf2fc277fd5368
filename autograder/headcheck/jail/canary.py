"""Canaries: a real child tries to get out in the ways that matter most; only what holds then is believed to hold."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from dataclasses import dataclass
from pathlib import Path

from headcheck.i18n import N_, _
from headcheck.jail.child import Child
from headcheck.jail.errors import StudentFailure
from headcheck.jail.layers import LANDLOCK, NAMESPACES, SECCOMP

_SECONDS = 10.0
_SECRET = "canary"

CODE = """
import ctypes, os, socket
def attempt(what, path, port, pid):
    if what == "read":
        return open(path).read()
    if what == "write":
        return open(path, "r+").write("sung")
    if what == "list":
        return os.listdir(os.path.dirname(path))
    if what == "connect":
        return socket.create_connection(("127.0.0.1", port), 2).close()
    if what == "exec":
        return os.execv("/bin/true", ["true"])
    if what == "fork":
        return os.fork() or os._exit(0)
    if what == "signal":
        return os.kill(pid, 0)
    if what == "trace":
        return 0 if ctypes.CDLL(None).ptrace(16, pid, 0, 0) == 0 else 1 / 0
    return 0 if ctypes.CDLL(None).unshare(0x10000000) == 0 else 1 / 0
"""


@dataclass(frozen=True)
class Canary:
    """One attempt.

    Attributes:
        name: what the child tries.
        about: the same in words.
        layers: those of which each alone should stop it.
    """

    name: str
    about: str
    layers: tuple[str, ...]


CANARIES = (
    Canary("read", N_("read a file outside that everybody may read"), (NAMESPACES, LANDLOCK)),
    Canary("write", N_("write to a file outside that everybody may write to"), (NAMESPACES, LANDLOCK)),
    Canary("list", N_("list a folder outside"), (NAMESPACES, LANDLOCK)),
    Canary("connect", N_("connect to a port of this machine"), (NAMESPACES, SECCOMP)),
    Canary("signal", N_("signal the grader"), (NAMESPACES, SECCOMP)),
    Canary("trace", N_("take hold of the grader as a debugger would"), (NAMESPACES, SECCOMP)),
    Canary("unshare", N_("make namespaces of its own"), (SECCOMP,)),
    Canary("fork", N_("start another process"), (SECCOMP,)),
    Canary("exec", N_("run a program"), (SECCOMP,)),  # last: when it works, the child is gone
)


def escaped(child: Child) -> tuple[str, ...]:
    """Let a fresh child try everything.

    Args:
        child: a child that has run nothing yet.

    Returns:
        Names of the canaries that got out; all when the child could not even try.
    """
    folder = tempfile.mkdtemp(prefix="headcheck-canary-")
    try:
        os.chmod(folder, 0o777)
        secret = Path(folder) / "secret"
        secret.write_text(_SECRET)
        secret.chmod(0o666)
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.setblocking(False)
            return _try_all(child, secret, server)
    finally:
        shutil.rmtree(folder)


def _try_all(child: Child, secret: Path, server: socket.socket) -> tuple[str, ...]:
    if not child.run_cell(0, CODE, _SECONDS).ok:
        return tuple(canary.name for canary in CANARIES)
    port = server.getsockname()[1]
    free = {canary.name for canary in CANARIES if _succeeds(child, canary.name, str(secret), port)}
    if secret.read_text() != _SECRET:
        free.add("write")
    if _was_reached(server):
        free.add("connect")
    return tuple(canary.name for canary in CANARIES if canary.name in free)


def _succeeds(child: Child, what: str, path: str, port: int) -> bool:
    """Whether an attempt worked; a child that is gone was not stopped by what should have stopped it."""
    try:
        child.call("attempt", (what, path, port, os.getpid()), {}, _SECONDS)
    except StudentFailure:
        return not child.alive
    return True


def _was_reached(server: socket.socket) -> bool:
    try:
        server.accept()[0].close()
    except BlockingIOError:
        return False
    return True


def described(names: tuple[str, ...]) -> str:
    """Say in words what canaries did."""
    return ", ".join(_(canary.about) for canary in CANARIES if canary.name in names)
