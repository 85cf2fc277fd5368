"""Starts an arena as root or as an ordinary user, with the layers that are asked for.

A Python that lies in a folder of root's own could not be read by anybody else. So, as root, the arena gets a mount
namespace of its own in which such a folder is empty but for what Python needs.
"""

import os
import stat
import sys
import tempfile
from pathlib import Path

from headcheck.jail import linux

NOBODY = 65534
REPOSITORY = Path(__file__).resolve().parents[2]


def needed() -> list[Path]:
    """What the arena must be able to read."""
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


def main() -> None:
    """`stage.py root|user ARENA_ARGUMENT...`: become that user and go on as the arena."""
    who, arguments = sys.argv[1], sys.argv[2:]
    if os.geteuid() == 0:
        open_the_way()
        if who == "user":
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
    os.chdir("/")
    os.execv(sys.executable, [sys.executable, str(REPOSITORY / "tests" / "attacks" / "arena.py"), *arguments])


if __name__ == "__main__":
    main()
