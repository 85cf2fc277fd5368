"""Landlock: which files the jailed process may open, and that it may reach no network and no other process."""

import os
import struct
from collections.abc import Iterable

from headcheck.jail.linux import checked, syscall

_CREATE_RULESET_VERSION = 1
_RULE_PATH_BENEATH = 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_MAKE_CHAR, _MAKE_SOCK, _MAKE_FIFO, _MAKE_BLOCK, _MAKE_SYM = 1 << 6, 1 << 9, 1 << 10, 1 << 11, 1 << 12
_FIRST_RIGHTS = (1 << 13) - 1
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_NEVER = _EXECUTE | _MAKE_CHAR | _MAKE_SOCK | _MAKE_FIFO | _MAKE_BLOCK | _MAKE_SYM | _IOCTL_DEV
_NET_ALL, _SCOPE_ALL = 0b11, 0b11  # bind and connect TCP; abstract sockets and signals

DEVICES = ("/dev/null", "/dev/urandom")


def abi() -> int:
    """Return the kernel's Landlock version, 0 when there is none."""
    return max(0, syscall("landlock_create_ruleset", None, 0, _CREATE_RULESET_VERSION))


def restrict(read: Iterable[str], write: Iterable[str]) -> None:
    """Confine this process and its children; needs `no_new_privs`.

    Args:
        read: files and folders that may be read (nothing may be executed anywhere).
        write: folders in which files and folders, but nothing else, may be made, changed and removed.

    Raises:
        OSError: the kernel refused a step; the process must not go on.
    """
    version = abi()
    ruleset = checked(_create(version), "landlock_create_ruleset")
    for path in (*read, *DEVICES):
        _allow(ruleset, path, _readable(path, version))
    for path in write:
        _allow(ruleset, path, _filesystem(version) & ~_NEVER)
    checked(syscall("landlock_restrict_self", ruleset, 0), "landlock_restrict_self")
    os.close(ruleset)


def _create(version: int) -> int:
    """Make a ruleset that handles all this kernel knows, so that what no rule allows is denied."""
    net = _NET_ALL if version >= 4 else 0
    scope = _SCOPE_ALL if version >= 6 else 0
    size = 8 if version < 4 else 16 if version < 6 else 24
    attributes = struct.pack("<QQQ", _filesystem(version), net, scope)[:size]
    return syscall("landlock_create_ruleset", attributes, size, 0)


def _filesystem(version: int) -> int:
    """Return every file right that this Landlock version can withhold."""
    rights = _FIRST_RIGHTS
    for since, right in ((2, _REFER), (3, _TRUNCATE), (5, _IOCTL_DEV)):
        rights |= right if version >= since else 0
    return rights


def _readable(path: str, version: int) -> int:
    if path in DEVICES:
        return _READ_FILE | _WRITE_FILE | (_TRUNCATE if version >= 3 else 0)
    return _READ_FILE | _READ_DIR if os.path.isdir(path) else _READ_FILE


def _allow(ruleset: int, path: str, rights: int) -> None:
    """Add one rule; a path that does not exist needs none."""
    try:
        target = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        rule = struct.pack("<Qi", rights, target)
        checked(syscall("landlock_add_rule", ruleset, _RULE_PATH_BENEATH, rule, 0), f"landlock_add_rule {path}")
    finally:
        os.close(target)
