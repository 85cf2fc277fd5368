"""Temporary folders of this process; those that a killed one left behind go when the next is made."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

FOLDER = os.O_DIRECTORY | os.O_NOFOLLOW
_NEW = "headcheck-new-"


class OwnFolder:
    """A temporary folder of this process.

    Attributes:
        path: the folder, without links in its path.
    """

    def __init__(self, kind: str, remove: Callable[[str], object] = shutil.rmtree) -> None:
        """Make it, and remove folders of this kind that nobody owns any more.

        Args:
            kind: becomes a part of its name.
            remove: removes such a folder with all that is in it.
        """
        sweep(kind, remove)
        self._remove = remove
        made = Path(os.path.realpath(tempfile.mkdtemp(prefix=_NEW)))
        self._lock = os.open(made, FOLDER)
        fcntl.flock(self._lock, fcntl.LOCK_EX)  # the kernel undoes it when we end, however that happens
        self.path = made.with_name(made.name.replace(_NEW, _prefix(kind)))
        os.rename(made, self.path)  # no sweeper knew it before it was locked

    def close(self) -> None:
        """Remove it, unless somebody who tidies temporary folders did."""
        with contextlib.suppress(FileNotFoundError):
            self._remove(str(self.path))
        os.close(self._lock)


def sweep(kind: str, remove: Callable[[str], object]) -> None:
    """Remove what processes of this user left behind when they were killed. Arguments as for `OwnFolder`."""
    for path in Path(tempfile.gettempdir()).glob(f"{_prefix(kind)}*"):
        with contextlib.suppress(OSError):
            folder = os.open(path, FOLDER)
            try:
                if os.fstat(folder).st_uid == os.geteuid():
                    fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails while its owner lives
                    remove(str(path))
            finally:
                os.close(folder)


def _prefix(kind: str) -> str:
    return f"headcheck-{kind}-"
