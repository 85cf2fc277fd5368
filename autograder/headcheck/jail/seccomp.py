"""The seccomp filter: system calls that no honest notebook needs are refused, on top of the other layers.

It is a deny-list on purpose. Torch and Python use many calls, and lists of allowed ones break with every release; what
a process can *reach* is limited by the private root, the namespaces and Landlock.
"""

import errno
import os
import struct
from collections.abc import Iterable, Sequence

from headcheck.jail.linux import seccomp_filter
from headcheck.jail.syscalls import NUMBERS


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# What is refused outright, grouped by what it could do.
_OTHER_PROCESSES = _names("""
    ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd pidfd_send_signal pidfd_open rt_sigqueueinfo
    rt_tgsigqueueinfo process_madvise process_mrelease setpriority ioprio_set
""")
_KERNEL_SURFACE = _names("""
    perf_event_open bpf userfaultfd io_uring_setup io_uring_enter io_uring_register add_key request_key keyctl
    modify_ldt personality syslog fanotify_init memfd_create memfd_secret lookup_dcookie vmsplice
""")
_MACHINE = _names("""
    mount umount2 pivot_root chroot open_tree move_mount fsopen fsconfig fsmount fspick mount_setattr open_tree_attr
    unshare setns name_to_handle_at open_by_handle_at kexec_load kexec_file_load init_module finit_module
    delete_module reboot swapon swapoff quotactl quotactl_fd acct settimeofday clock_settime adjtimex clock_adjtime
    iopl ioperm vhangup sethostname setdomainname
""")
_TALK = _names("""
    socket connect accept bind listen accept4 shmget shmat shmctl semget msgget mq_open
""")
_NEW_PROCESSES = _names("fork vfork execve execveat")
# Landlock covers none of these; where the host's files can still be named (no private root) they must be refused.
_METADATA = _names("""
    chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes futimesat utimensat setxattr lsetxattr
    fsetxattr setxattrat removexattr lremovexattr fremovexattr removexattrat file_setattr truncate
""")
# These a process may do to itself only; for the second group 0 means itself.
_SIGNALS = _names("kill tkill tgkill")
_ABOUT_A_PROCESS = _names("""
    prlimit64 sched_setaffinity sched_setscheduler sched_setparam sched_setattr migrate_pages move_pages
""")

_CLONE_NEW_ANY, _CLONE_THREAD = 0x7E020080, 0x10000
_TIOCSTI, _TIOCLINUX, _PR_SET_PDEATHSIG = 0x5412, 0x541C, 1

_NUMBERS = NUMBERS["x86_64"]

# Classic BPF
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_AUDIT_ARCH_X86_64, _X32_BIT = 0xC000003E, 0x40000000
_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16


def _op(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("<HBBI", code, yes, no, value)


def _refuse(number: int) -> bytes:
    return _op(_RETURN, 0x50000 | number)


def _argument(index: int) -> bytes:
    """Load the low 32 bits of an argument."""
    return _op(_LOAD, _ARGUMENTS + 8 * index)


def _when(name: str, *body: bytes) -> list[bytes]:
    """Run `body`, which must return on every path, for one system call."""
    return [_op(_EQUAL, _NUMBERS[name], 0, len(body)), *body]


def _deny(names: Iterable[str]) -> list[bytes]:
    return [op for name in names for op in _when(name, _refuse(errno.EPERM))]


def _only_values(name: str, index: int, allowed: Sequence[int]) -> list[bytes]:
    """Allow a call when an argument has one of a few values."""
    tests = [_op(_EQUAL, value, len(allowed) - i, 0) for i, value in enumerate(allowed)]
    return _when(name, _argument(index), *tests, _refuse(errno.EPERM), _op(_RETURN, _ALLOW))


def _not_value(name: str, index: int, *refused: int) -> list[bytes]:
    """Allow a call unless an argument has one of a few values."""
    tests = [_op(_EQUAL, value, len(refused) - i, 0) for i, value in enumerate(refused)]
    return _when(name, _argument(index), *tests, _op(_RETURN, _ALLOW), _refuse(errno.EPERM))


def _threads_only() -> list[bytes]:
    """Refuse clone for new namespaces and for processes; glibc's threads are allowed."""
    return _when(
        "clone",
        _argument(0),
        _op(_ANY_BIT, _CLONE_NEW_ANY, 0, 1),
        _refuse(errno.EPERM),
        _op(_ANY_BIT, _CLONE_THREAD, 1, 0),
        _refuse(errno.EAGAIN),
        _op(_RETURN, _ALLOW),
    )


def _no_read_only_truncate(name: str, index: int) -> list[bytes]:
    """Refuse O_RDONLY|O_TRUNC, which empties a file that Landlock before ABI 3 only lets be read."""
    return _when(
        name,
        _argument(index),
        _op(_AND, os.O_TRUNC | os.O_ACCMODE),
        _op(_EQUAL, os.O_TRUNC | os.O_RDONLY, 0, 1),
        _refuse(errno.EPERM),
        _op(_RETURN, _ALLOW),
    )


def build(pid: int, *, private_root: bool) -> bytes:
    """Build the filter.

    Args:
        pid: the jailed process as it sees itself; it may signal and tune nobody else.
        private_root: whether no host file can be named, so that changing metadata is harmless.

    Returns:
        Packed instructions for `linux.seccomp_filter`.
    """
    groups = [_OTHER_PROCESSES, _KERNEL_SURFACE, _MACHINE, _TALK, _NEW_PROCESSES]
    if not private_root:
        groups.append(_METADATA)
    program = [
        _op(_LOAD, _ARCH),
        _op(_EQUAL, _AUDIT_ARCH_X86_64, 1, 0),
        _op(_RETURN, _KILL),  # a 32-bit call would have other numbers
        _op(_LOAD, _NUMBER),
        _op(_AT_LEAST, _X32_BIT, 0, 1),
        _refuse(errno.ENOSYS),
        *_deny(name for group in groups for name in group),
        # These two hide their flags behind a pointer; ENOSYS makes libc use the calls whose flags we can see.
        *_when("clone3", _refuse(errno.ENOSYS)),
        *_when("openat2", _refuse(errno.ENOSYS)),
        *_threads_only(),
        *_no_read_only_truncate("open", 1),
        *_no_read_only_truncate("openat", 2),
        *_not_value("ioctl", 1, _TIOCSTI, _TIOCLINUX),
        *_not_value("prctl", 0, _PR_SET_PDEATHSIG),
    ]
    for name in _SIGNALS:
        program += _only_values(name, 0, [pid])
    for name in _ABOUT_A_PROCESS:
        program += _only_values(name, 0, [0, pid])
    return b"".join([*program, _op(_RETURN, _ALLOW)])


def install(pid: int, *, private_root: bool) -> None:
    """Put the filter on this process for good; needs `no_new_privs`. Arguments as for `build`."""
    seccomp_filter(build(pid, private_root=private_root))
