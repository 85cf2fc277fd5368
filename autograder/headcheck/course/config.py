"""Finds a course and reads what `headcheck.toml` says about it."""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, get_args

from headcheck.errors import UsageError
from headcheck.i18n import _

CONFIG_NAME = "headcheck.toml"


@dataclass(frozen=True)
class RunLimits:
    """How long a student's code may run and how much memory it may take."""

    cell_seconds: float = 20
    """One notebook cell."""
    call_seconds: float = 5
    """One call by a hidden test, and one visible test cell."""
    submission_seconds: float = 120
    """All cells and calls of one submission together."""
    memory_mb: int = 1024
    """Memory in MiB on top of what Python and torch take."""


Hints = Literal["symptom", "place", "full"]
"""How much a student is told: what was seen; also where; also the name of the mistake and why it is wrong."""

HINTS: tuple[Hints, ...] = get_args(Hints)

HINTS_VARIABLE = "HEADCHECK_HINTS"
"""Environment variable that `--hints` sets; it goes before the course's own setting."""


@dataclass(frozen=True)
class Feedback:
    """How much students are told, and when they are told all."""

    hints: Hints = "place"
    deadlines: Mapping[str, datetime] = field(default_factory=dict)
    """Assignment -> moment from which on everything is told."""


@dataclass(frozen=True)
class Course:
    """A course: where its texts, answers and hidden tests lie."""

    root: Path
    name: str
    assignments: tuple[str, ...]
    limits: RunLimits = field(default_factory=RunLimits)
    own_limits: Mapping[str, RunLimits] = field(default_factory=dict)
    """Assignment -> its limits, where they are not the course's."""
    minimum_isolation: str = "B"
    """The weakest jail that may run student code: "A" or "B"."""
    feedback: Feedback = field(default_factory=Feedback)

    def limits_for(self, assignment: str) -> RunLimits:
        """Return the limits for submissions of an assignment."""
        return self.own_limits.get(assignment, self.limits)

    def hints_for(self, assignment: str) -> Hints:
        """Return how much a student is told about his mistakes in an assignment now."""
        for level in HINTS:
            if os.environ.get(HINTS_VARIABLE) == level:
                return level
        deadline = self.feedback.deadlines.get(assignment)
        if deadline is not None and datetime.now().astimezone() >= deadline:
            return "full"
        return self.feedback.hints

    def text_file(self, assignment: str) -> Path:
        """Return the text notebook that an author edits."""
        return self.root / "assignments" / assignment / f"{assignment}.py"

    def source_file(self, assignment: str) -> Path:
        """Return the built notebook with answers."""
        return self.root / "source" / assignment / f"{assignment}.ipynb"

    def release_file(self, assignment: str) -> Path:
        """Return the built notebook for students."""
        return self.root / "release" / assignment / f"{assignment}.ipynb"

    def hidden_file(self, assignment: str) -> Path:
        """Return the file of hidden graders."""
        return self.root / "autograder" / "hidden" / f"test_{assignment}.py"

    def likely(self, assignment: str) -> set[str]:
        """Say what the model answers do: a hint what to have ready for submissions, no more.

        Args:
            assignment: the assignment.

        Returns:
            "training" when they train a model, "drawing" when they draw although they are being graded.
        """
        try:
            source = self.source_file(assignment).read_bytes()
        except OSError:  # not built: whoever needs it will complain
            return set()
        draws = b"pyplot" in source and b"NBGRADER_EXECUTION" not in source
        return {name for name, found in (("training", b"optim" in source), ("drawing", draws)) if found}

    def require(self, assignment: str) -> str:
        """Check that the course has an assignment of this name.

        Args:
            assignment: the name that a person typed.

        Returns:
            The same name.

        Raises:
            UsageError: it has not.
        """
        if assignment not in self.assignments:
            raise UsageError(
                _("{assignment!r} is not an assignment of this course; it has: {names}").format(
                    assignment=assignment, names=", ".join(self.assignments)
                )
            )
        return assignment

    def make_importable(self) -> None:
        """Let the trusted process import the course's own code (`solutions`, `assignments.quiz.bank`)."""
        if str(self.root) not in sys.path:
            sys.path.insert(0, str(self.root))


def shipped_course() -> Path | None:
    """Return the folder of the course that this copy of headcheck belongs to, if it is a checkout."""
    checkout = Path(__file__).resolve().parents[3]
    return checkout if (checkout / CONFIG_NAME).is_file() else None


def course_at(folder: Path | None) -> Course:
    """Load the course in a folder that a person named; without a name, the course at hand.

    Args:
        folder: course folder, or None.

    Returns:
        The course.

    Raises:
        UsageError: there is none.
    """
    if folder is not None and not (folder / CONFIG_NAME).is_file():
        raise UsageError(_("{folder}: no course here ({name} is missing)").format(folder=folder, name=CONFIG_NAME))
    return find_course(folder)


def find_course(class_folder: Path | None = None) -> Course:
    """Find the course of a class: the class folder itself if it holds a `headcheck.toml`, else the one shipped along.

    Parents of a notebook are never searched: what lies beside a submission comes from a student.

    Args:
        class_folder: folder with `submitted/`; the working folder when None.

    Returns:
        The course.

    Raises:
        UsageError: there is none, or its `headcheck.toml` is not usable.
    """
    for candidate in (class_folder or Path.cwd(), shipped_course()):
        if candidate is not None and (candidate / CONFIG_NAME).is_file():
            return load_course(candidate.resolve())
    raise UsageError(_("no course found: run this in a folder with a {name}").format(name=CONFIG_NAME))


def load_course(root: Path) -> Course:
    """Read `headcheck.toml`.

    Args:
        root: folder of the course.

    Returns:
        The course.

    Raises:
        UsageError: the file cannot be read or says something unknown.
    """
    path = root / CONFIG_NAME
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(_("{path}: cannot be read: {error}").format(path=path, error=error)) from error
    course = _table(path, content, "course")
    names = course.get("assignments")
    if not isinstance(names, list) or not names or not all(isinstance(n, str) and n.isidentifier() for n in names):
        raise UsageError(_("{path}: [course] needs `assignments`, a list of names").format(path=path))
    table = _table(path, content, "limits")
    limits = _limits(path, "limits", {key: value for key, value in table.items() if key not in names}, RunLimits())
    return Course(
        root=root,
        name=str(course.get("name", root.name)),
        assignments=tuple(names),
        limits=limits,
        own_limits={name: _own_limits(path, name, table[name], limits) for name in names if name in table},
        minimum_isolation=_minimum(path, _table(path, content, "jail")),
        feedback=_feedback(path, _table(path, content, "feedback")),
    )


def _feedback(path: Path, table: dict[str, Any]) -> Feedback:
    deadlines = table.get("deadlines", {})
    if table.keys() - {"hints", "deadlines"}:
        raise UsageError(_("{path}: [feedback] knows `hints` and `deadlines` only").format(path=path))
    if table.get("hints", "place") not in HINTS:
        raise UsageError(
            _("{path}: [feedback] hints must be one of {levels}").format(path=path, levels=", ".join(HINTS))
        )
    if not isinstance(deadlines, dict) or not all(isinstance(moment, datetime) for moment in deadlines.values()):
        raise UsageError(_("{path}: [feedback.deadlines] needs a date and time for each assignment").format(path=path))
    return Feedback(
        hints=table.get("hints", "place"),
        deadlines={name: moment.astimezone() for name, moment in deadlines.items()},
    )


def _minimum(path: Path, table: dict[str, Any]) -> str:
    """Read the weakest jail that is accepted; trusting submissions is a matter of one run, not of a course."""
    minimum = table.get("minimum", "B")
    if table.keys() - {"minimum"} or minimum not in ("A", "B"):
        raise UsageError(_('{path}: [jail] takes `minimum`, "A" or "B"').format(path=path))
    return str(minimum)


def _table(path: Path, content: dict[str, Any], name: str) -> dict[str, Any]:
    table = content.get(name, {})
    if not isinstance(table, dict):
        raise UsageError(_("{path}: [{name}] must be a table").format(path=path, name=name))
    return table


OWN_LIMITS = ("cell_seconds", "call_seconds")
"""What an assignment may set for itself; the others hold for a jail, which serves many assignments."""


def _own_limits(path: Path, assignment: str, table: Any, limits: RunLimits) -> RunLimits:
    if not isinstance(table, dict) or table.keys() - set(OWN_LIMITS):
        raise UsageError(
            _("{path}: [limits.{assignment}] takes {known} only").format(
                path=path, assignment=assignment, known=", ".join(OWN_LIMITS)
            )
        )
    return _limits(path, f"limits.{assignment}", table, limits)


def _limits(path: Path, section: str, table: dict[str, Any], otherwise: RunLimits) -> RunLimits:
    known = {f.name for f in fields(RunLimits)}
    for key, value in table.items():
        if key not in known:
            raise UsageError(
                _("{path}: [{section}] has no {key!r}; known: {known}").format(
                    path=path, section=section, key=key, known=", ".join(sorted(known))
                )
            )
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1e6:
            raise UsageError(
                _("{path}: [{section}] {key} must be a positive number").format(path=path, section=section, key=key)
            )
    return replace(otherwise, **table)
