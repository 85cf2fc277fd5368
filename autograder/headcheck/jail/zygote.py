"""A process that has torch imported and forks a jailed child per request; it never sees a submission or a test.

Whatever it has ever held, every student can read. So it is started fresh, with an empty environment, and gets nothing
but plans. It must stay single-threaded: a fork of a process with torch's threads hangs.
"""

import contextlib
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Sequence
from typing import Any

from headcheck.imports import lasting
from headcheck.jail import linux, lockdown
from headcheck.jail.layers import Plan


def main() -> None:
    """Serve; the command line has the socket's number, the mount point's path, and what children are likely to do."""
    control, mount_point, likely = socket.socket(fileno=int(sys.argv[1])), sys.argv[2], sys.argv[3].split()
    sys.argv = [""]
    try:
        offer, shell = _get_ready(mount_point, likely)
        mount_point = _serve(control, mount_point, offer, shell)
    finally:
        with contextlib.suppress(OSError):  # our starter may have died without doing it
            os.rmdir(mount_point)
    os._exit(0)  # taking torch apart would only cost time


def _get_ready(mount_point: str, likely: Sequence[str]) -> tuple[bytes, Any]:
    """Find out what the machine offers and import what children need; return what to say, and the shell."""
    offer = lockdown.probe(mount_point)  # before torch: forks are cheap now
    with lasting():
        from headcheck.jail.warmup import warm_up

        shell = warm_up(likely)
        _compute_ahead()
    if "many" in likely:
        linux.gather_memory()
    _forget_own_path()
    linux.prctl(linux.PR_SET_DUMPABLE, 0)  # no process of the same user may read our memory
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    _single_threaded(within=5)
    return json.dumps({"offer": offer}).encode(), shell


def _serve(control: socket.socket, mount_point: str, offer: bytes, shell: Any) -> str:
    """Say what the machine offers, fork a child per request until the starter hangs up; return the mount point.

    A request may also ask for a twin: a zygote for another user of the jail, ready at once. It goes on here, in a
    process of its own, with another starter and another mount point.
    """
    control.send(offer)
    while True:
        try:
            request, channels, _, _ = socket.recv_fds(control, 1 << 16, 4)
        except ConnectionError:
            return mount_point
        if not request:
            return mount_point
        asked = json.loads(request)
        if "twin" not in asked:
            _fork(control, asked, channels, shell)
            continue
        _single_threaded(within=0)
        if os.fork() == 0:
            control.close()
            control, mount_point = socket.socket(fileno=channels[0]), asked["twin"]
            with contextlib.suppress(OSError):  # whoever wanted it has gone: the next look will tell
                control.send(offer)
        else:
            os.close(channels[0])


def _fork(control: socket.socket, request: dict[str, Any], channels: list[int], shell: Any) -> None:
    """Fork one supervisor and hand its pidfd to the other side."""
    from headcheck.jail.supervisor import supervise

    plan = Plan(**request)
    _single_threaded(within=0)
    if (pid := os.fork()) == 0:
        control.close()
        supervise(plan, channels, shell)
    for channel in channels:
        os.close(channel)
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:  # it ended already; the status pipe says why
        control.send(b"gone")
        return
    socket.send_fds(control, [b"forked"], [handle])
    os.close(handle)


def _compute_ahead() -> None:
    """Compute what would come out alike in every child."""
    from headcheck.jail import agent, seccomp

    agent.prepare()
    seccomp.build(2, private_root=True)  # of a child in a process namespace of its own, where its init is 1


def _forget_own_path() -> None:
    """Keep only import paths that can be read in the jail."""
    from headcheck.jail.rootfs import readable_paths

    readable = tuple(f"{path}/" for path in readable_paths())
    sys.path[:] = [path for path in sys.path if path.startswith(readable)]


def _single_threaded(within: float) -> None:
    """Make sure that there is one thread; a finished one may need a moment to go.

    Raises:
        RuntimeError: there are more, so a fork would not be safe.
    """
    until = time.monotonic() + within
    while len(os.listdir("/proc/self/task")) > 1:
        if time.monotonic() >= until:
            raise RuntimeError("the zygote has more than one thread")
        time.sleep(0.01)
