"""Keeps every verdict of a class on disk, so that nothing is graded twice and nothing is lost."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from headcheck.course.files import write_atomically
from headcheck.grading.verdict import Verdict, verdict_of
from headcheck.i18n import _

FOLDER = ".headcheck/verdicts"


@dataclass(frozen=True)
class Kept:
    """A verdict as it lies in the store."""

    key: str
    """What it follows from; see `headcheck.grading.versions.submission_key`."""
    versions: Mapping[str, str]
    """What it was made with."""
    verdict: Verdict


class VerdictStore:
    """The verdicts on one assignment of a class, one file per student."""

    def __init__(self, class_folder: Path, assignment: str, warn: Callable[[str], None]) -> None:
        """Open it; nothing is read yet.

        Args:
            class_folder: folder with `submitted/`.
            assignment: the assignment.
            warn: gets one line about each file that cannot be read.
        """
        self._folder, self._warn = class_folder / FOLDER / assignment, warn

    def get(self, student: str) -> Kept | None:
        """Return the latest verdict on a student's submission.

        Args:
            student: the student.

        Returns:
            It, or None when there is none or its file is damaged.
        """
        path = self.path(student)
        try:
            return read_kept(path)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            self._warn(_("{path}: damaged; it counts as missing").format(path=path))
            return None

    def put(self, student: str, kept: Kept) -> None:
        """Keep a verdict in place of an earlier one; the file is the old one or the new one, never half of it.

        Args:
            student: the student.
            kept: the verdict.
        """
        content = {"key": kept.key, "versions": dict(kept.versions), "verdict": kept.verdict.to_record()}
        write_atomically(self.path(student), json.dumps(content, ensure_ascii=True))

    def path(self, student: str) -> Path:
        """Return the file of a student's verdict."""
        return self._folder / student / "verdict.json"  # the name of a student may be as long as names can be


def read_kept(path: Path) -> Kept:
    """Read one verdict.

    Args:
        path: its file.

    Returns:
        The verdict.

    Raises:
        OSError: there is no such file, or it cannot be read.
        ValueError, KeyError, TypeError, RecursionError: it is damaged.
    """
    content = json.loads(path.read_bytes())
    return Kept(str(content["key"]), dict(content["versions"]), verdict_of(content["verdict"]))
