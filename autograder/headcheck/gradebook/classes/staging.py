"""Reads what students handed in: plain files only, never through a link that lies in a submission."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from dateutil.parser import parse  # type: ignore[import-untyped]

from headcheck.course.notebook import read_bytes
from headcheck.errors import UsageError
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
class Taken:
    """What one student handed in, as bytes."""

    handed: Handed
    data: bytes
    """The notebook; empty when it cannot be used."""
    unusable: str = ""
    """Why it cannot be used."""
    timestamp: str = ""
    """When it was handed in, as `timestamp.txt` says; empty when that is missing or cannot be read."""


def find_handed(student: str, folder: Path, assignment: str) -> Handed:
    """Find the notebook in a student's folder: the one of the right name, else the only one there is.

    Args:
        student: whose folder it is.
        folder: `submitted/<student>/<assignment>/`.
        assignment: name of the assignment.

    Returns:
        The submission.
    """
    wanted = folder / f"{assignment}.ipynb"
    others = sorted(folder.glob("*.ipynb"))
    if wanted in others or len(others) != 1:
        return Handed(student, folder, wanted)
    note = _("the notebook was called {name}, not {wanted}").format(name=others[0].name, wanted=wanted.name)
    return Handed(student, folder, others[0], note)


def take(handed: Handed) -> Taken:
    """Read one submission.

    Args:
        handed: the submission.

    Returns:
        Its bytes, or why there are none that can be used.
    """
    timestamp = _timestamp(handed.folder / TIMESTAMP)
    try:
        return Taken(handed, _read(handed), timestamp=timestamp)
    except UsageError as error:
        return Taken(handed, b"", str(error).removeprefix(f"{handed.path}: "), timestamp)


def _read(handed: Handed) -> bytes:
    if handed.folder.is_symlink() or handed.folder.parent.is_symlink():
        raise UsageError(_("the submission is a symbolic link to another folder"))
    if not handed.path.exists() and not handed.path.is_symlink():
        found = ", ".join(sorted(path.name for path in handed.folder.iterdir())[:5]) or _("nothing")
        raise UsageError(_("no {name} was handed in (found: {found})").format(name=handed.path.name, found=found))
    return read_bytes(handed.path)


def _timestamp(path: Path) -> str:
    """Read the time of submission; what nbgrader could not read is left out, it would stop there."""
    if path.is_symlink() or not path.is_file() or path.stat().st_size > MAX_TIMESTAMP_BYTES:
        return ""
    text = path.read_text(encoding="utf-8", errors="replace").strip()
    try:
        found = parse(text)
        _in_utc = found - (found.utcoffset() or timedelta())
    except (ValueError, OverflowError):
        return ""
    return text
