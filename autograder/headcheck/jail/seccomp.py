"""The seccomp filter: system calls that no honest notebook needs are refused, on top of the other layers.

It is a deny-list on purpose. Torch and Python use many calls, and lists of allowed ones break with every release; what
a process can *reach* is limited by the private root, the namespaces and Landlock.
"""

import errno
import functools
import os
import platform
import socket
import struct
from collections.abc import Iterable, Sequence

from headcheck.jail.linux import seccomp_filter
from headcheck.jail.syscalls import LEGACY, NUMBERS


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# What is refused outright, grouped by what it could do.
_OTHER_PROCESSES = _names("""
    ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd pidfd_send_signal pidfd_open rt_sigqueueinfo
    rt_tgsigqueueinfo process_madvise process_mrelease setpriority ioprio_set
""")
_KERNEL_SURFACE = _names("""
    perf_event_open bpf userfaultfd io_uring_setup io_uring_enter io_uring_register add_key request_key keyctl
    modify_ldt personality syslog memfd_create memfd_secret lookup_dcookie vmsplice
""")
_MACHINE = _names("""
    mount umount2 pivot_root chroot open_tree move_mount fsopen fsconfig fsmount fspick mount_setattr open_tree_attr
    unshare setns name_to_handle_at open_by_handle_at kexec_load kexec_file_load init_module finit_module
    delete_module reboot swapon swapoff quotactl quotactl_fd acct settimeofday clock_settime adjtimex clock_adjtime
    iopl ioperm vhangup sethostname setdomainname
""")
# Landlock lets every process watch and list what it may not open.
_SPYING = _names("inotify_init inotify_init1 inotify_add_watch fanotify_init statmount listmount")
_TALK = _names("""
    socket connect accept bind listen accept4 sendmsg sendmmsg shmget shmat shmctl semget msgget mq_open
""")
_NEW_PROCESSES = _names("fork vfork execve execveat")
# Landlock covers none of these; where the host's files can still be named (no private root) they must be refused.
_METADATA = _names("""
    chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes futimesat utimensat setxattr lsetxattr
    fsetxattr setxattrat removexattr lremovexattr fremovexattr removexattrat file_setattr truncate
""")
# Files that are not seen, or outlive being removed, where the working folder is on a disk of the host.
_ODD_FILES = _names("link linkat mknod mknodat creat")
# These a process may do to itself only; for the second group 0 means itself.
_SIGNALS = _names("kill tkill tgkill")
_ABOUT_A_PROCESS = _names("""
    prlimit64 sched_setaffinity sched_setscheduler sched_setparam sched_setattr migrate_pages move_pages
""")

_CLONE_NEW_ANY, _CLONE_FILES, _CLONE_THREAD = 0x7E020080, 0x400, 0x10000
_SOCKET_KIND = 0xF
_O_TMPFILE, _SET_ID = 0o20000000, 0o6000
_TIOCSTI, _TIOCLINUX, _PR_SET_PDEATHSIG = 0x5412, 0x541C, 1

# Classic BPF
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32_BIT = 0x40000000
_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16


def _op(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("<HBBI", code, yes, no, value)


def _refuse(number: int) -> bytes:
    return _op(_RETURN, 0x50000 | number)


def _argument(index: int) -> bytes:
    """Load the low 32 bits of an argument."""
    return _op(_LOAD, _ARGUMENTS + 8 * index)


class _Program:
    """Collects instructions for one architecture."""

    def __init__(self, machine: str) -> None:
        self._numbers = NUMBERS[machine]
        self.code = [
            _op(_LOAD, _ARCH),
            _op(_EQUAL, _AUDIT_ARCH[machine], 1, 0),
            _op(_RETURN, _KILL),  # a 32-bit call would have other numbers
            _op(_LOAD, _NUMBER),
        ]
        if machine == "x86_64":
            self.code += [_op(_AT_LEAST, _X32_BIT, 0, 1), _refuse(errno.ENOSYS)]

    def when(self, name: str, *body: bytes) -> None:
        """Run `body`, which must return on every path, for one system call."""
        if name not in self._numbers and name in LEGACY:
            return  # this architecture never had it
        self.code += [_op(_EQUAL, self._numbers[name], 0, len(body)), *body]

    def deny(self, names: Iterable[str]) -> None:
        """Refuse calls outright."""
        for name in names:
            self.when(name, _refuse(errno.EPERM))

    def only_values(self, name: str, index: int, allowed: Sequence[int]) -> None:
        """Allow a call when an argument has one of a few values."""
        tests = [_op(_EQUAL, value, len(allowed) - i, 0) for i, value in enumerate(allowed)]
        self.when(name, _argument(index), *tests, _refuse(errno.EPERM), _op(_RETURN, _ALLOW))

    def not_value(self, name: str, index: int, *refused: int) -> None:
        """Allow a call unless an argument has one of a few values."""
        tests = [_op(_EQUAL, value, len(refused) - i, 0) for i, value in enumerate(refused)]
        self.when(name, _argument(index), *tests, _op(_RETURN, _ALLOW), _refuse(errno.EPERM))

    def threads_only(self) -> None:
        """Refuse clone for new namespaces and for processes; glibc's threads, which share their files, are allowed."""
        self.when(
            "clone",
            _argument(0),
            _op(_ANY_BIT, _CLONE_NEW_ANY, 0, 1),
            _refuse(errno.EPERM),
            _op(_AND, _CLONE_FILES | _CLONE_THREAD),
            _op(_EQUAL, _CLONE_FILES | _CLONE_THREAD, 1, 0),
            _refuse(errno.EAGAIN),
            _op(_RETURN, _ALLOW),
        )

    def streams_only(self) -> None:
        """Refuse socket pairs of datagrams: one end could send to any socket file, which Landlock does not cover."""
        self.when(
            "socketpair",
            _argument(1),
            _op(_AND, _SOCKET_KIND),
            _op(_EQUAL, socket.SOCK_STREAM, 0, 1),
            _op(_RETURN, _ALLOW),
            _refuse(errno.EPERM),
        )

    def plain_opening(self, name: str, index: int, *, private_root: bool) -> None:
        """Check the flags of an opening call, and without a private root the permissions of new files.

        O_RDONLY|O_TRUNC empties a file that Landlock before ABI 3 only lets be read. A file without a name would not be
        counted, and one that changes the user id of whoever runs it must not come to lie on the host.
        """
        flags, permissions = _argument(index), _argument(index + 1)
        on_a_disk = [
            flags,
            _op(_ANY_BIT, _O_TMPFILE, 0, 1),
            _refuse(errno.EOPNOTSUPP),
            _op(_ANY_BIT, os.O_CREAT, 1, 0),
            _op(_RETURN, _ALLOW),  # without this flag the permissions mean nothing
            permissions,
            _op(_ANY_BIT, _SET_ID, 0, 1),
            _refuse(errno.EPERM),
        ]
        self.when(
            name,
            flags,
            _op(_AND, os.O_TRUNC | os.O_ACCMODE),
            _op(_EQUAL, os.O_TRUNC | os.O_RDONLY, 0, 1),
            _refuse(errno.EPERM),
            *([] if private_root else on_a_disk),
            _op(_RETURN, _ALLOW),
        )


@functools.cache  # the zygote asks, so its children need not
def build(pid: int, *, private_root: bool, machine: str | None = None) -> bytes:
    """Build the filter.

    Args:
        pid: the jailed process as it sees itself; it may signal and tune nobody else.
        private_root: whether no host file can be named, so that changing metadata is harmless.
        machine: architecture, this machine's when None.

    Returns:
        Packed instructions for `linux.seccomp_filter`.
    """
    program = _Program(machine or platform.machine())
    for group in (_OTHER_PROCESSES, _KERNEL_SURFACE, _MACHINE, _SPYING, _TALK, _NEW_PROCESSES):
        program.deny(group)
    if not private_root:
        program.deny((*_METADATA, *_ODD_FILES))
    for name in ("clone3", "openat2"):  # they hide their flags behind a pointer; libc then uses the older calls
        program.when(name, _refuse(errno.ENOSYS))
    program.threads_only()
    program.plain_opening("open", 1, private_root=private_root)
    program.plain_opening("openat", 2, private_root=private_root)
    program.streams_only()
    program.not_value("ioctl", 1, _TIOCSTI, _TIOCLINUX)
    program.not_value("prctl", 0, _PR_SET_PDEATHSIG)
    for name in _SIGNALS:
        program.only_values(name, 0, [pid])
    for name in _ABOUT_A_PROCESS:
        program.only_values(name, 0, [0, pid])
    return b"".join([*program.code, _op(_RETURN, _ALLOW)])


def install(pid: int, *, private_root: bool) -> None:
    """Put the filter on this process for good; needs `no_new_privs`. Arguments as for `build`."""
    seccomp_filter(build(pid, private_root=private_root))
