"""Between zygote and child: makes the namespaces, forks the child, waits for it and reports how it ended."""

import contextlib
import json
import os
import resource
import select
import signal
import socket
from types import FrameType
from typing import NoReturn

from headcheck.jail import agent, cgroup, linux, lockdown, wire
from headcheck.jail.layers import NAMESPACES, Plan
from headcheck.jail.shell import JailShell
from headcheck.jail.watch import Watch

# Where the four channels lie while a child is being made; the child keeps 1, 2 and _RPC.
_RPC, _STATUS = 3, 4
_PARKED = 100
_WATCH_MS = 50


def supervise(plan: Plan, channels: list[int], shell: JailShell) -> NoReturn:
    """Run one child to its end; never returns.

    Args:
        plan: what the child gets.
        channels: file descriptors: the child's socket, its standard output and error, and our status pipe.
        shell: the shell that the child inherits.
    """
    status, init = channels[3], 0
    try:
        os.setsid()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
        status = _arrange(channels)
        if plan.cgroup:
            cgroup.join(plan.cgroup)
        if NAMESPACES in plan.layers:
            lockdown.enter_namespaces()
            init = _fork_init()
        watch = Watch(plan.scratch, plan.tmp_mb, plan.file_mb) if plan.scratch else None
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])  # until there is a handler
        if (child := os.fork()) == 0:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
            os.close(status)
            _child(plan, shell)
        if watch:
            _become(plan.uid)
        _wait(child, status, watch)
        if init:  # wait for it too, so that nothing is left once we are gone
            os.kill(init, signal.SIGKILL)
            os.waitpid(init, 0)
    except BaseException as error:
        os.write(status, json.dumps({"setup": f"{type(error).__name__}: {error}"[:500]}).encode())
    finally:
        os._exit(0)


def _arrange(channels: list[int]) -> int:
    """Move the channels to fixed numbers, close everything else; return the status pipe's number."""
    for i, channel in enumerate(channels):
        os.dup2(channel, _PARKED + i, inheritable=False)
    os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
    for i, number in enumerate((_RPC, 1, 2, _STATUS)):
        os.dup2(_PARKED + i, number, inheritable=False)
    os.closerange(_STATUS + 1, 4096)
    return _STATUS


def _fork_init() -> int:
    """Fork the first process of the new namespace, so that the child is an ordinary one beside it; return its number.

    The kernel spares a first process the signals that should end it, and ends all others when it is gone.
    """
    if (pid := os.fork()) != 0:
        return pid
    try:
        linux.prctl(linux.PR_SET_DUMPABLE, 0)
        linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
        linux.drop_capabilities()
        os.closerange(0, _STATUS + 1)
        os.chdir("/")
        while True:
            signal.pause()
    finally:
        os._exit(1)


def _become(uid: int) -> None:
    """Look at things as the child's user, since only that user is sure to see all of them."""
    if os.geteuid() == 0:
        os.setegid(uid)
        os.seteuid(uid)
        linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)  # a change of user id resets it


def _wait(child: int, status: int, watch: Watch | None) -> None:
    """Wait for the child, kill it when asked to (SIGTERM) or when it fills the disk; report its end and its use."""
    handle = os.pidfd_open(child)  # unlike its number it never comes to mean another process

    def kill(number: int, frame: FrameType | None) -> None:
        with contextlib.suppress(ProcessLookupError):  # it may have ended just now
            signal.pidfd_send_signal(handle, signal.SIGKILL)

    signal.signal(signal.SIGTERM, kill)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
    for number in (1, 2, _RPC):  # else the other side would never see the end of these
        os.close(number)
    poll = select.poll()
    poll.register(handle, select.POLLIN)  # readable once the child has ended
    filled = False
    while not poll.poll(_WATCH_MS if watch else None):
        if watch and watch.exceeded(child) and not poll.poll(0):  # one that has just ended cannot be looked at
            filled = True
            kill(0, None)
    _, state, usage = os.wait4(child, 0)
    report = {
        "filled": filled,
        "exit": os.waitstatus_to_exitcode(state),
        "cpu_s": usage.ru_utime + usage.ru_stime,
        "max_rss_mb": usage.ru_maxrss / 1024,
    }
    os.write(status, json.dumps(report).encode())


def _child(plan: Plan, shell: JailShell) -> NoReturn:
    """Lock down, say so before a student's byte is seen, serve."""
    try:
        connection = socket.socket(fileno=_RPC)
        reason = _confined(plan)
        rss_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        connection.sendall(b"".join(wire.frame({"reason": reason, "rss_mb": rss_mb}, [])))
        if not reason:
            agent.serve(connection, shell, os.getcwd())
    finally:
        os._exit(0)


def _confined(plan: Plan) -> str:
    """Lock this process down; return why it did not work, "" when it did."""
    try:
        lockdown.confine(plan)
    except BaseException as error:
        return (str(error) or type(error).__name__)[:500]
    return ""
