"""The private root: an empty file system with read-only views of what Python needs, and nothing else of the machine."""

import contextlib
import functools
import os
import sys
from collections.abc import Iterable
from pathlib import Path

from headcheck.jail import linux
from headcheck.jail.landlock import DEVICES

WRITABLE = ("/tmp", "/dev/shm")
_SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache")
_PACKAGE = str(Path(__file__).resolve().parents[1])
# Bits of statvfs's f_flag that a bind inherited and that an unprivileged remount may not clear.
_KEPT_FLAGS = linux.MS_NOSUID | linux.MS_NODEV | linux.MS_NOEXEC | linux.MS_NOATIME | linux.MS_NODIRATIME
_ST_RELATIME = 4096


@functools.cache  # the zygote asks, so its children need not
def readable_paths() -> tuple[str, ...]:
    """List what the jailed process may read: the interpreter, its packages and the system's libraries.

    Returns:
        Absolute paths that exist, none inside another.
    """
    prefixes = (sys.prefix, sys.base_prefix)
    wanted = dict.fromkeys([*prefixes, *map(os.path.realpath, prefixes), *_SYSTEM])
    found = [path for path in wanted if os.path.lexists(path)]
    return tuple(path for path in found if not any(_inside(path, other) for other in found if other != path))


def exposed(folders: Iterable[str | os.PathLike[str]]) -> list[str]:
    """Return those folders that the jail would let student code read, because they lie where Python lies."""
    readable = [os.path.realpath(path) for path in readable_paths()]
    real = [os.path.realpath(folder) for folder in folders]
    return [folder for folder in real if any(folder == path or _inside(folder, path) for path in readable)]


def build(mount_point: str, uid: int, tmp_mb: int, files: str) -> None:
    """Replace the root of this mount namespace by the private one.

    Args:
        mount_point: an empty folder of the host to assemble it on.
        uid: user id that /etc/passwd gives a name.
        tmp_mb: size of each writable folder, MB.
        files: folder of the host whose content is shown in the first writable folder, "" for none.

    Raises:
        OSError: a step failed; the process must not go on.
    """
    linux.mount(None, "/", None, linux.MS_REC | linux.MS_PRIVATE)
    base = linux.MS_NOSUID | linux.MS_NODEV
    linux.mount("tmpfs", mount_point, "tmpfs", base, "size=1m,nr_inodes=4096,mode=755")
    for folder in ("proc", "etc", "tmp", "dev", "dev/shm"):
        os.mkdir(f"{mount_point}/{folder}", 0o755)
    _mount_proc(f"{mount_point}/proc")
    for folder, inodes in zip(WRITABLE, (4096, 256), strict=True):
        options = f"size={tmp_mb}m,nr_inodes={inodes},mode=1777"
        linux.mount("tmpfs", mount_point + folder, "tmpfs", base | linux.MS_NOEXEC, options)
    Path(f"{mount_point}/etc/passwd").write_text(f"student:x:{uid}:{uid}::/tmp:/bin/false\n", encoding="ascii")
    for path in (*readable_paths(), *DEVICES):
        _show(path, mount_point + path)
    for name in os.listdir(files) if files else ():
        _show(f"{files}/{name}", f"{mount_point}{WRITABLE[0]}/{name}")
    _hide_package(mount_point)
    linux.mount(None, mount_point, None, linux.MS_REMOUNT | linux.MS_BIND | linux.MS_RDONLY | base)
    linux.pivot_root(mount_point)


def _inside(path: str, folder: str) -> bool:
    return Path(path).is_relative_to(folder) and path != folder


def _mount_proc(target: str) -> None:
    """Mount a fresh /proc; in a user namespace this works only while the old one can still be seen."""
    with contextlib.suppress(PermissionError):  # some containers forbid it; nothing needs it
        linux.mount("proc", target, "proc", linux.MS_NOSUID | linux.MS_NODEV | linux.MS_NOEXEC)


def _show(path: str, target: str) -> None:
    """Make one path of the host visible at the same place in the new root, read-only unless it is a device."""
    os.makedirs(os.path.dirname(target), mode=0o755, exist_ok=True)
    if os.path.islink(path):
        os.symlink(os.readlink(path), target)
        return
    if os.path.isdir(path):
        os.makedirs(target, mode=0o755, exist_ok=True)
    else:
        Path(target).touch()
    linux.mount(path, target, None, linux.MS_BIND | linux.MS_REC)
    if path not in DEVICES:
        flags = linux.MS_REMOUNT | linux.MS_BIND | linux.MS_RDONLY | linux.MS_NOSUID
        linux.mount(None, target, None, flags | _kept_flags(path))


def _kept_flags(path: str) -> int:
    flags = os.statvfs(path).f_flag
    return (flags & _KEPT_FLAGS) | (linux.MS_RELATIME if flags & _ST_RELATIME else 0)


def _hide_package(mount_point: str) -> None:
    """Cover headcheck itself where it is installed among the packages that are shown."""
    if os.path.isdir(mount_point + _PACKAGE):
        linux.mount("tmpfs", mount_point + _PACKAGE, "tmpfs", linux.MS_RDONLY | linux.MS_NOSUID, "size=4k,mode=755")
