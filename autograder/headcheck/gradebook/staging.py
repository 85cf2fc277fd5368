"""Copies what students handed in to a folder of our own, so that nbgrader never follows what lies in theirs.

nbgrader copies every file beside a notebook, through links too, and needs the notebook under its exact name. It gets a
folder with one plain file per student instead; an unusable notebook is stood in for by an empty file.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nbgrader.utils import parse_utc

from headcheck.course.notebook import read_bytes
from headcheck.errors import UsageError
from headcheck.gradebook.links import is_linked
from headcheck.i18n import _

TIMESTAMP = "timestamp.txt"
MAX_TIMESTAMP_BYTES = 200


@dataclass(frozen=True)
class Handed:
    """One submission as it lies in the class folder."""

    student: str
    folder: Path
    """`submitted/<student>/<assignment>/`."""
    path: Path
    """The notebook in it; it need not exist."""
    note: str = ""
    """What is odd about it, for the verdict."""


@dataclass(frozen=True)
class Staged:
    """One submission as nbgrader gets it."""

    handed: Handed
    path: Path
    unusable: str = ""
    """Why the notebook cannot be used; the staged file is empty then."""


def find_handed(folder: Path, assignment: str) -> Handed:
    """Find the notebook in a student's folder: the one of the right name, else the only one there is.

    Args:
        folder: `submitted/<student>/<assignment>/`.
        assignment: name of the assignment.

    Returns:
        The submission.
    """
    student, wanted = folder.parent.name, folder / f"{assignment}.ipynb"
    others = sorted(folder.glob("*.ipynb"))
    if wanted in others or len(others) != 1:
        return Handed(student, folder, wanted)
    note = _("the notebook was called {name}, not {wanted}").format(name=others[0].name, wanted=wanted.name)
    return Handed(student, folder, others[0], note)


def stage(handed: Handed, root: Path, assignment: str) -> Staged:
    """Copy one submission.

    Args:
        handed: the submission.
        root: folder of ours, laid out like `submitted/`.
        assignment: name of the assignment.

    Returns:
        Where the copy lies, or why there is nothing in it.
    """
    path = root / handed.student / assignment / f"{assignment}.ipynb"
    path.parent.mkdir(parents=True)
    unusable = ""
    try:
        path.write_bytes(_read(handed))
    except UsageError as error:
        unusable = str(error).removeprefix(f"{handed.path}: ")
        path.touch()
    _copy_timestamp(handed.folder / TIMESTAMP, path.parent / TIMESTAMP)
    return Staged(handed, path, unusable)


def _read(handed: Handed) -> bytes:
    if is_linked(handed.path):
        raise UsageError(_("the submission is a symbolic link to another folder"))
    if not handed.path.exists() and not handed.path.is_symlink():
        found = ", ".join(sorted(path.name for path in handed.folder.iterdir())[:5]) or _("nothing")
        raise UsageError(_("no {name} was handed in (found: {found})").format(name=handed.path.name, found=found))
    return read_bytes(handed.path)


def _copy_timestamp(source: Path, target: Path) -> None:
    """Copy the time of submission; nbgrader would stop at one that it cannot read."""
    if source.is_symlink() or not source.is_file() or source.stat().st_size > MAX_TIMESTAMP_BYTES:
        return
    text = source.read_text(encoding="utf-8", errors="replace")
    try:
        parse_utc(text.strip())
    except (ValueError, OverflowError):
        return
    target.write_text(text, encoding="utf-8")
