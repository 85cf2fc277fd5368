"""The Linux calls that Python's standard library lacks, each as one checked function (ctypes, nothing else)."""

import ctypes
import errno
import functools
import os
import platform
import struct
import sys

from headcheck.i18n import _
from headcheck.jail.syscalls import NUMBERS

_NUMBERS = NUMBERS.get(platform.machine(), {})

# prctl
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 1, 4, 38

# mount flags
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 1, 2, 4, 8, 32
MS_NOATIME, MS_NODIRATIME, MS_BIND, MS_REC, MS_PRIVATE, MS_RELATIME = (
    1 << 10,
    1 << 11,
    1 << 12,
    1 << 14,
    1 << 18,
    1 << 21,
)
MNT_DETACH = 2

# unshare flags
CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x20000, 0x4000000, 0x8000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000

_CAPABILITY_VERSION_3 = 0x20080522
_HUGE = 2 << 20  # a huge page: as large on both machines whose system calls we know
_MADV_COLLAPSE = 25

_SECCOMP_SET_MODE_FILTER, _SECCOMP_FILTER_FLAG_TSYNC = 1, 1


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def unsupported() -> str:
    """Say why this machine cannot confine anything; an empty string when it can."""
    if not sys.platform.startswith("linux"):
        return _("the jail needs Linux, this is {platform}").format(platform=sys.platform)
    if platform.machine() not in NUMBERS:
        return _("the jail knows the system calls of {known} only, this machine is {machine}").format(
            known=", ".join(NUMBERS), machine=platform.machine()
        )
    return ""


def checked(result: int, what: str) -> int:
    """Return a C call's result.

    Raises:
        OSError: the result was negative; the text says `what` failed.
    """
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def syscall(name: str, *args: int | bytes | None) -> int:
    """Make a raw system call by name; integers travel as C longs.

    Returns:
        The kernel's result, -1 on failure (wrap it in `checked`).
    """
    as_c = [ctypes.c_long(arg) if isinstance(arg, int) else arg for arg in args]
    return int(_libc().syscall(ctypes.c_long(_NUMBERS[name]), *as_c))


def gather_memory() -> None:
    """Move this process's memory into huge pages, as far as the kernel can (Linux 6.1); else it stays as it is.

    A fork copies the page table, entry by entry, and the end of a process takes it down again.
    """
    with open("/proc/self/maps", encoding="ascii", errors="replace") as file:
        regions = [line.split() for line in file]
    for span, access, *_rest, inode in (region[:5] for region in regions):
        start, end = (int(bound, 16) // _HUGE for bound in span.split("-"))
        if access == "rw-p" and inode == "0":
            for address in range((start + 1) * _HUGE, end * _HUGE, _HUGE):
                _libc().madvise(ctypes.c_void_p(address), ctypes.c_size_t(_HUGE), _MADV_COLLAPSE)


def prctl(option: int, value: int) -> None:
    """Set one attribute of this process."""
    rest = [ctypes.c_ulong(x) for x in (value, 0, 0, 0)]
    checked(_libc().prctl(ctypes.c_int(option), *rest), f"prctl {option}")


def unshare(flags: int) -> None:
    """Leave the namespaces named by the CLONE_NEW flags for new ones."""
    checked(_libc().unshare(ctypes.c_int(flags)), "unshare")


def mount(source: str | None, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    """Mount `source` on `target`, as mount(2)."""
    texts = [None if text is None else os.fsencode(text) for text in (source, target, kind)]
    options = None if data is None else data.encode()
    checked(_libc().mount(*texts, ctypes.c_ulong(flags), options), f"mount {target}")


def pivot_root(new_root: str) -> None:
    """Make `new_root` the root of this mount namespace and drop every mount of the old one."""
    os.chdir(new_root)
    checked(syscall("pivot_root", b".", b"."), "pivot_root")
    checked(_libc().umount2(b".", ctypes.c_int(MNT_DETACH)), "umount of the old root")
    os.chdir("/")


def drop_capabilities() -> None:
    """Give up every capability, in every set that can be given up."""
    header, none = struct.pack("<Ii", _CAPABILITY_VERSION_3, 0), struct.pack("<6I", *[0] * 6)
    checked(syscall("capset", header, none), "capset")


def seccomp_available() -> bool:
    """Whether the kernel takes seccomp filters (a null filter is refused with EFAULT, not with ENOSYS or EINVAL)."""
    result = syscall("seccomp", _SECCOMP_SET_MODE_FILTER, _SECCOMP_FILTER_FLAG_TSYNC, None)
    return result < 0 and ctypes.get_errno() == errno.EFAULT


def seccomp_filter(program: bytes) -> None:
    """Put a filter on all threads of this process, for good.

    Args:
        program: packed `struct sock_filter` instructions, 8 bytes each.
    """
    buffer = ctypes.create_string_buffer(program, len(program))
    prog = struct.pack("<HxxxxxxQ", len(program) // 8, ctypes.addressof(buffer))
    checked(syscall("seccomp", _SECCOMP_SET_MODE_FILTER, _SECCOMP_FILTER_FLAG_TSYNC, prog), "seccomp")
