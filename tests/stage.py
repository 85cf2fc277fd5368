"""Lets other users read a Python that lies in a folder of root's own, and starts an arena as one of them.

As root, a process gets a mount namespace of its own in which such a folder is empty but for what Python needs.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from headcheck.jail import launcher, linux

if TYPE_CHECKING:
    import pytest

FIRST_UID, UIDS = 64000, 1000  # of users that do not exist
REPOSITORY = Path(__file__).resolve().parents[1]


def needed() -> list[Path]:
    """What a jailed process or an arena must be able to read."""
    places = [sys.prefix, sys.base_prefix, os.path.realpath(sys.prefix), str(REPOSITORY)]
    return [Path(place) for place in dict.fromkeys(places)]


def closed_to_others(path: Path) -> Path | None:
    """Return the topmost folder on the way to a path that others may not enter."""
    for folder in reversed(path.parents):
        if not folder.stat().st_mode & stat.S_IXOTH:
            return folder
    return None


def open_the_way() -> None:
    """Put an open folder in the place of each closed one, with just the needed paths in it; root only."""
    linux.unshare(linux.CLONE_NEWNS)
    linux.mount(None, "/", None, linux.MS_REC | linux.MS_PRIVATE)
    closed: dict[Path, dict[Path, str]] = {}
    for path in needed():
        if (folder := closed_to_others(path)) is not None:
            aside = tempfile.mkdtemp(prefix="headcheck-stage-")
            linux.mount(str(path), aside, None, linux.MS_BIND | linux.MS_REC)
            closed.setdefault(folder, {})[path] = aside
    for folder, paths in closed.items():
        linux.mount("tmpfs", str(folder), "tmpfs", 0, "mode=755")
        for path, aside in paths.items():
            path.mkdir(parents=True, exist_ok=True)
            linux.mount(aside, str(path), None, linux.MS_BIND | linux.MS_REC)
            linux.checked(linux._libc().umount2(os.fsencode(aside), linux.MNT_DETACH), f"umount {aside}")
            os.rmdir(aside)


def first_in_the_zygote(code: str) -> None:
    """Have every zygote to come run some code before it starts."""
    start = "from headcheck.jail.zygote import main"
    launcher._BOOT = launcher._BOOT.replace(start, f"{code}\n{start}")


def let_children_read_python(patch: pytest.MonkeyPatch) -> None:
    """Let the children of root's jails read Python even without a private root."""
    patch.setattr(launcher, "_BOOT", launcher._BOOT)  # put back afterwards
    if os.geteuid() == 0 and any(map(closed_to_others, needed())):
        first_in_the_zygote(f"sys.path.insert(1, {str(Path(__file__).parent)!r})\nimport stage\nstage.open_the_way()")


def main() -> None:
    """`stage.py root|user ARENA_ARGUMENT...`: become that user and go on as the arena."""
    who, arguments = sys.argv[1], sys.argv[2:]
    if os.geteuid() == 0:
        open_the_way()
        if who == "user":  # each another one, so that two arenas at work do not meet
            uid = FIRST_UID + os.getpid() % UIDS
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
    os.chdir("/")
    os.execv(sys.executable, [sys.executable, str(REPOSITORY / "tests" / "attacks" / "arena.py"), *arguments])


if __name__ == "__main__":
    main()
