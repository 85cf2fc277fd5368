"""The layers that confine a student's process: which of them this machine offers, and putting them on in order."""

import contextlib
import os
import resource
import sys
from collections.abc import Callable, Sequence

from headcheck.i18n import N_
from headcheck.jail import landlock, linux, rootfs, seccomp
from headcheck.jail.layers import LANDLOCK, NAMESPACES, SECCOMP, Plan

_UNSHARE = linux.CLONE_NEWNS | linux.CLONE_NEWPID | linux.CLONE_NEWNET | linux.CLONE_NEWIPC | linux.CLONE_NEWUTS
_MB = 1 << 20


def probe(mount_point: str) -> dict[str, str]:
    """Find out which layers this machine offers.

    Args:
        mount_point: an empty folder to try a private root on.

    Returns:
        For every layer "" when it is offered, else the reason why not.
    """
    return {
        NAMESPACES: _in_a_fork(lambda: _try_namespaces(mount_point)),
        LANDLOCK: "" if landlock.abi() else N_("the kernel offers none"),
        SECCOMP: "" if linux.seccomp_available() else N_("the kernel takes no filter"),
    }


def _try_namespaces(mount_point: str) -> None:
    """Build a private root as a child would (some systems allow the namespaces but no mount inside)."""
    enter_namespaces()
    _in_new_pid_namespace(lambda: rootfs.build(mount_point, os.geteuid(), 1, ""))


def _in_new_pid_namespace(action: Callable[[], object]) -> None:
    if reason := _in_a_fork(action):
        raise OSError(reason)


def _in_a_fork(action: Callable[[], object]) -> str:
    """Run an action in a forked process and return its error as text, "" when there was none."""
    read, write = os.pipe()
    if (pid := os.fork()) == 0:
        try:
            action()
        except BaseException as error:
            os.write(write, (str(error) or type(error).__name__).encode()[:500])
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as answer:
        reason = answer.read().decode(errors="replace")
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return reason or ("" if status == 0 else f"the probe ended with status {status}")


def enter_namespaces() -> None:
    """Move this process (and, for process ids, its children) into namespaces of their own.

    Root makes them directly, since it will drop to another user id; others need a user namespace for it.
    """
    uid, gid = os.geteuid(), os.getegid()
    if uid == 0:
        linux.unshare(_UNSHARE)
        return
    linux.prctl(linux.PR_SET_DUMPABLE, 1)  # or the kernel would not let us write our own maps
    linux.unshare(_UNSHARE | linux.CLONE_NEWUSER)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)


def confine(plan: Plan) -> None:
    """Lock this process down for good, in the order in which the steps are possible.

    Raises:
        OSError: a step failed. The caller must end the process.
    """
    private = NAMESPACES in plan.layers
    uid = plan.uid
    address_space = _address_space()  # while /proc is sure to be there
    # The kernel counts all of a user's threads; with a user id or a user namespace of its own they are the child's.
    threads = plan.threads + (0 if private or os.geteuid() == 0 else _threads_of(uid))
    linux.prctl(linux.PR_SET_DUMPABLE, 1)  # or our own files in /proc would belong to root
    _prefer_as_victim()
    if private:
        rootfs.build(plan.mount_point, uid, plan.tmp_mb, plan.files)
    writable = rootfs.WRITABLE if private else (plan.scratch,)
    os.chdir(writable[0])
    _limit(plan, address_space, threads)
    _drop_user(uid)
    linux.drop_capabilities()
    linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
    linux.prctl(linux.PR_SET_PDEATHSIG, 9)  # a change of user id resets both of these
    linux.prctl(linux.PR_SET_DUMPABLE, 1)  # for the supervisor; Landlock and the namespaces keep other children away
    _check_access(writable)
    if LANDLOCK in plan.layers:
        readable = [*rootfs.readable_paths(), f"/proc/{os.getpid()}", "/etc/passwd" if private else plan.files]
        landlock.restrict(filter(None, readable), writable)
    if SECCOMP in plan.layers:
        seccomp.install(os.getpid(), private_root=private)


def _address_space() -> int:
    """Return the size of this process's address space, bytes."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def _prefer_as_victim() -> None:
    """Let the kernel end this process first when the machine runs out of memory."""
    with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("1000")


def _threads_of(uid: int) -> int:
    """Count the threads that a user has now."""
    count = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):  # it has just ended
            if os.stat(f"/proc/{name}").st_uid == uid:
                count += len(os.listdir(f"/proc/{name}/task"))
    return count


def _limit(plan: Plan, address_space: int, threads: int) -> None:
    limits = {
        resource.RLIMIT_AS: address_space + plan.memory_mb * _MB,
        resource.RLIMIT_FSIZE: plan.file_mb * _MB,
        resource.RLIMIT_NOFILE: 128,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_CPU: plan.cpu_s,
        resource.RLIMIT_NPROC: threads,
    }
    for kind, value in limits.items():
        resource.setrlimit(kind, (value, value))


def _drop_user(uid: int) -> None:
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)


def _check_access(writable: Sequence[str]) -> None:
    """Fail early when the new user cannot read Python or cannot write: all sorts of things would fail later, oddly."""
    for path in (os.__file__, sys.prefix):
        if not os.access(path, os.R_OK):
            raise PermissionError(f"user id {os.getuid()} cannot read {path}, so Python would not work in the jail")
    for path in writable:
        if not os.access(path, os.W_OK):
            raise PermissionError(
                f"user id {os.getuid()} cannot write to {path}; let TMPDIR name a folder for everybody"
            )
