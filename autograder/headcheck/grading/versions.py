"""Tells whether a verdict still holds: hashes of submission, grader and course, versions of the libraries."""

from __future__ import annotations

import functools
import gettext
import hashlib
import importlib.metadata
import os
import platform
from collections.abc import Iterable
from dataclasses import astuple
from pathlib import Path

from headcheck import __version__
from headcheck.course.config import Course
from headcheck.i18n import DOMAIN, LOCALE

LIBRARIES = ("torch", "numpy")

ROOMS = ("course", "jail", "diagnosis", "quiz", "grading")
"""The parts of the engine that a verdict depends on."""

SUFFIXES = (".py", ".yaml", ".toml")


@functools.cache
def versions() -> dict[str, str]:
    """Return the versions that are recorded with a verdict; those of different verdicts of a class must agree."""
    found = {"headcheck": __version__, "python": ".".join(platform.python_version_tuple()[:2])}
    return found | {name: importlib.metadata.version(name) for name in LIBRARIES}


def grader_version(course: Course, assignment: str) -> str:
    """Hash what grades: the engine, the hidden tests, the references and known mistakes, the questions.

    Args:
        course: the course.
        assignment: the assignment.

    Returns:
        A hash that changes when one of them does.
    """
    engine = Path(__file__).resolve().parents[1]
    folders = [engine / room for room in ROOMS]
    folders += [course.root / "solutions", course.hidden_file(assignment).parent, course.text_file(assignment).parent]
    files = (path for folder in folders for path in sorted(folder.rglob("*")) if path.suffix in SUFFIXES)
    return _digest([__version__.encode(), *_contents(files)])


def course_version(course: Course, assignment: str) -> str:
    """Hash what is asked and how it is graded: the notebooks, their data files, limits, hints, language.

    Args:
        course: the course.
        assignment: the assignment.

    Returns:
        A hash that changes when one of them does.
    """
    folder = course.source_file(assignment).parent
    files = [*sorted(path for path in folder.rglob("*") if path.is_file()), course.release_file(assignment)]
    trusted = os.environ.get("HEADCHECK_TRUST_SUBMISSIONS", "")
    chosen = os.environ.get("HEADCHECK_LANG")
    translation = gettext.find(DOMAIN, LOCALE, [chosen] if chosen else None)  # the same on machines with other locales
    language = Path(translation).parts[-3] if translation else "en"
    limits = astuple(course.limits_for(assignment))
    rules = (*limits, course.minimum_isolation, course.hints_for(assignment), trusted, language)
    return _digest([repr(rules).encode(), *_contents(files)])


def submission_key(data: bytes, remarks: Iterable[str], grader: str, course: str) -> str:
    """Name a verdict by everything that it follows from.

    Args:
        data: the submitted notebook; empty when there is none that can be used.
        remarks: what else goes into the verdict: the file's name, what is odd about it.
        grader: from `grader_version`.
        course: from `course_version`.

    Returns:
        A hash; the same key means the same verdict.
    """
    return _digest([data, *(part.encode(errors="surrogateescape") for part in (*remarks, grader, course))])


def _contents(files: Iterable[Path]) -> Iterable[bytes]:
    for path in files:
        yield path.name.encode()
        yield path.read_bytes()


def _digest(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.hexdigest()
