"""Keeps nbgrader from following links that lie in a submission: they lead to other people's files."""

from __future__ import annotations

import functools
from pathlib import Path

from nbgrader.converters import base

from headcheck.errors import UsageError
from headcheck.i18n import _


def is_linked(notebook: Path) -> bool:
    """Whether a submission's folder, or its student's, is a symbolic link (the file itself is checked on reading).

    Args:
        notebook: `submitted/<student>/<assignment>/<assignment>.ipynb`.
    """
    return notebook.parent.is_symlink() or notebook.parent.parent.is_symlink()


def refuse_links(notebook: Path) -> None:
    """Refuse to read through a linked folder.

    Raises:
        UsageError: the folder is a link.
    """
    if is_linked(notebook):
        raise UsageError(_("{path}: the folder is a symbolic link").format(path=notebook.parent))


def copy_plain_files_only() -> None:
    """Make nbgrader copy only plain files that lie beside a notebook.

    It would copy what a link leads to, and hand the copy out with the feedback: the gradebook, the hidden tests.
    """
    original = base.find_all_files
    if hasattr(original, "__wrapped__"):
        return

    @functools.wraps(original)
    def find(path: str, exclude: list[str] | None = None) -> list[str]:
        return [name for name in original(path, exclude) if _is_plain(Path(name))]

    base.find_all_files = find


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink() and path.stat().st_nlink == 1
