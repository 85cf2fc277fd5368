"""The seccomp filter decides alike on every architecture that it is built for (a small interpreter runs it here)."""

import errno
import os
import re
import struct
from pathlib import Path

import pytest
from headcheck.jail import seccomp
from headcheck.jail.syscalls import LEGACY, NUMBERS

ALLOW, KILL = 0x7FFF0000, 0x80000000
ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
PID = 2
HEADERS = {
    "x86_64": ("/usr/include/x86_64-linux-gnu/asm/unistd_64.h", r"#define __NR_(\w+) (\d+)"),
    "aarch64": ("/usr/include/asm-generic/unistd.h", r"#define __NR(?:3264)?_(\w+) (\d+)"),
}


def run(program: bytes, arch: int, number: int, *arguments: int) -> int:
    """Interpret a filter as the kernel would; return its verdict."""
    data = struct.pack("<IIQ6Q", number, arch, 0, *arguments, *[0] * (6 - len(arguments)))
    accumulator, at = 0, 0
    while True:
        code, yes, no, value = struct.unpack_from("<HBBI", program, 8 * at)
        at += 1
        match code:
            case 0x20:
                accumulator = struct.unpack_from("<I", data, value)[0]
            case 0x54:
                accumulator &= value
            case 0x06:
                return value
            case 0x15:
                at += yes if accumulator == value else no
            case 0x35:
                at += yes if accumulator >= value else no
            case 0x45:
                at += yes if accumulator & value else no
            case _:
                raise AssertionError(f"unknown instruction {code:#x}")


def verdict(machine: str, name: str, *arguments: int, private_root: bool = True) -> int:
    program = seccomp.build(PID, private_root=private_root, machine=machine)
    assert len(program) // 8 <= 4096
    return run(program, ARCH[machine], NUMBERS[machine][name], *arguments)


def refused(number: int) -> int:
    return 0x50000 | number


@pytest.mark.parametrize("machine", NUMBERS)
@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("ptrace", (16, 1), refused(errno.EPERM)),
        ("socket", (2, 1), refused(errno.EPERM)),
        ("execve", (), refused(errno.EPERM)),
        ("inotify_add_watch", (), refused(errno.EPERM)),
        ("io_uring_setup", (), refused(errno.EPERM)),
        ("clone3", (), refused(errno.ENOSYS)),
        ("openat2", (), refused(errno.ENOSYS)),
        ("clone", (0x3D0F00,), ALLOW),
        ("clone", (0x11,), refused(errno.EAGAIN)),
        ("clone", (0x3D0B00,), refused(errno.EAGAIN)),
        ("clone", (0x10010000,), refused(errno.EPERM)),
        ("openat", (0, 0, os.O_RDONLY), ALLOW),
        ("openat", (0, 0, os.O_RDONLY | os.O_TRUNC), refused(errno.EPERM)),
        ("openat", (0, 0, os.O_WRONLY | os.O_TRUNC), ALLOW),
        ("kill", (PID,), ALLOW),
        ("kill", (1,), refused(errno.EPERM)),
        ("kill", (0xFFFFFFFFFFFFFFFF,), refused(errno.EPERM)),
        ("tgkill", (PID,), ALLOW),
        ("prlimit64", (0,), ALLOW),
        ("prlimit64", (1,), refused(errno.EPERM)),
        ("prctl", (1,), refused(errno.EPERM)),
        ("prctl", (15,), ALLOW),
        ("ioctl", (0, 0x5412), refused(errno.EPERM)),
        ("ioctl", (0, 0x5401), ALLOW),
        ("socketpair", (1, 0x80801), ALLOW),
        ("socketpair", (1, 2), refused(errno.EPERM)),
        ("sendmsg", (), refused(errno.EPERM)),
        ("fchmodat", (), ALLOW),
        ("linkat", (), ALLOW),
    ],
)
def test_the_filter_decides_alike_on_every_architecture(machine, name, arguments, expected):
    assert verdict(machine, name, *arguments) == expected


@pytest.mark.parametrize("machine", NUMBERS)
def test_metadata_is_refused_where_host_files_can_be_named(machine):
    for name in ("fchmodat", "fchownat", "utimensat", "setxattr", "truncate", "fchmodat2"):
        assert verdict(machine, name, private_root=False) == refused(errno.EPERM)


@pytest.mark.parametrize("machine", NUMBERS)
@pytest.mark.parametrize(
    ("flags", "permissions", "expected"),
    [
        (os.O_RDONLY, 0o4755, ALLOW),
        (os.O_CREAT | os.O_WRONLY, 0o644, ALLOW),
        (os.O_CREAT | os.O_WRONLY, 0o4755, refused(errno.EPERM)),
        (os.O_CREAT | os.O_RDWR, 0o2755, refused(errno.EPERM)),
        (os.O_TMPFILE | os.O_RDWR, 0o600, refused(errno.EOPNOTSUPP)),
        (os.O_RDONLY | os.O_TRUNC, 0, refused(errno.EPERM)),
    ],
)
def test_files_on_the_host_are_plain_and_have_a_name(machine, flags, permissions, expected):
    assert verdict(machine, "openat", 0, 0, flags, permissions, private_root=False) == expected
    for name in ("linkat", "mknodat"):
        assert verdict(machine, name, private_root=False) == refused(errno.EPERM)


def test_calls_in_the_form_of_another_architecture_end_the_process():
    program = seccomp.build(PID, private_root=True, machine="x86_64")
    assert run(program, 0x40000003, 1) == KILL  # i386
    assert run(program, ARCH["x86_64"], 0x40000000 | 39) == refused(errno.ENOSYS)  # x32
    assert run(seccomp.build(PID, private_root=True, machine="aarch64"), ARCH["x86_64"], 1) == KILL


def test_a_younger_table_lacks_nothing_but_the_legacy_calls():
    assert NUMBERS["x86_64"].keys() - NUMBERS["aarch64"].keys() == LEGACY
    assert not NUMBERS["aarch64"].keys() - NUMBERS["x86_64"].keys()


@pytest.mark.parametrize("machine", NUMBERS)
def test_the_numbers_are_those_of_the_kernel_headers(machine):
    path, pattern = HEADERS[machine]
    if not Path(path).is_file():
        pytest.skip(f"{path} is not installed")
    known = {name: int(number) for name, number in re.findall(pattern, Path(path).read_text())}
    table = NUMBERS[machine]
    shared = table.keys() & known.keys()
    assert len(shared) > 60
    assert {name: table[name] for name in shared} == {name: known[name] for name in shared}
