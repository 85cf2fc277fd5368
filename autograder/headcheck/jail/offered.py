"""Files of an assignment that student code may read: copied aside, so that nothing else of the course is near them."""

import os
import shutil
import tempfile
from pathlib import Path


class Offered:
    """Keeps one copy per folder, until `close`."""

    def __init__(self) -> None:
        self._copies: dict[Path, str] = {}

    def copy_of(self, folder: Path) -> str:
        """Return the folder that holds the copies, "" when there is nothing to offer.

        Args:
            folder: folder of the course; its notebooks hold answers and are left out, as are links and hidden files.
        """
        if folder not in self._copies:
            self._copies[folder] = _copy(folder)
        return self._copies[folder]

    def forget(self, folder: Path) -> None:
        """Remove the copies of one folder's files."""
        if copy := self._copies.pop(folder, ""):
            shutil.rmtree(copy, ignore_errors=True)

    def close(self) -> None:
        """Remove the copies."""
        for copy in filter(None, self._copies.values()):
            shutil.rmtree(copy, ignore_errors=True)
        self._copies.clear()


def _copy(folder: Path) -> str:
    files = [path for path in sorted(folder.rglob("*")) if _is_plain(path, folder)]
    if not files:
        return ""
    target = Path(tempfile.mkdtemp(prefix="headcheck-files-"))
    target.chmod(0o755)  # the child's user reads it
    for path in files:
        copy = target / path.relative_to(folder)
        copy.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
        os.chmod(copy, 0o444)
    return str(target)


def _is_plain(path: Path, folder: Path) -> bool:
    parts = path.relative_to(folder).parts
    hidden = any(part.startswith((".", "__")) for part in parts)
    linked = any(parent.is_symlink() for parent in (path, *path.parents) if parent.is_relative_to(folder))
    return path.is_file() and not hidden and not linked and path.suffix != ".ipynb"
