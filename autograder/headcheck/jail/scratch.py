"""A folder of its own for each child where there is no private root: made and removed by us, filled by student code.

So nothing here follows a link, or trusts a name, a depth or a permission that it finds.
"""

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator

from headcheck.temporary import FOLDER, OwnFolder


class Scratch:
    """Makes and removes folders below one that belongs to this jail.

    Attributes:
        folder: that one.
    """

    def __init__(self) -> None:
        self._own = OwnFolder("scratch", remove)
        self.folder = str(self._own.path)
        if os.geteuid() == 0:
            os.chmod(self.folder, 0o711)  # children with other user ids pass through

    def make(self, uid: int, files: str) -> str:
        """Make a folder that a child may write to.

        Args:
            uid: its user id.
            files: folder whose content can be read there, "" for none.

        Returns:
            The folder.
        """
        made = f"{self.folder}/{secrets.token_hex(8)}"
        os.mkdir(made, 0o700)
        for name in os.listdir(files) if files else ():
            os.symlink(f"{files}/{name}", f"{made}/{name}")
        if os.geteuid() == 0:
            os.chown(made, uid, uid)
        return made

    def close(self) -> None:
        """Remove everything."""
        self._own.close()


def remove(path: str) -> None:
    """Remove a folder that nobody uses any more, with all that is in it; what resists is left to the next sweep."""
    with contextlib.suppress(OSError):
        with _opened(path) as folder:
            _empty(folder)
        os.rmdir(path)


@contextlib.contextmanager
def _opened(path: str, parent: int | None = None) -> Iterator[int]:
    """Open a folder, never a link to one, whatever its permissions are."""
    place = os.open(path, os.O_PATH | FOLDER, dir_fd=parent)
    try:
        os.chmod(f"/proc/self/fd/{place}", 0o700)
        folder = os.open(f"/proc/self/fd/{place}", os.O_DIRECTORY)
    finally:
        os.close(place)
    try:
        yield folder
    finally:
        os.close(folder)


def _empty(folder: int) -> None:
    """Remove all in a folder; what lies deeper is moved up first, so that no depth is too much."""
    while names := os.listdir(folder):
        for name in names:
            if not _unlinked(name, folder):
                with _opened(name, folder) as inside:
                    _move_up(inside, folder)
                os.rmdir(name, dir_fd=folder)


def _move_up(inside: int, folder: int) -> None:
    """Move the subfolders of one folder into another, and remove its files."""
    for name in os.listdir(inside):
        if not _unlinked(name, inside):
            with _opened(name, inside):  # a folder can be moved only when it may be written to
                os.rename(name, secrets.token_hex(8), src_dir_fd=inside, dst_dir_fd=folder)


def _unlinked(name: str, folder: int) -> bool:
    """Remove an entry unless it is a folder."""
    if stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
        return False
    os.unlink(name, dir_fd=folder)
    return True
