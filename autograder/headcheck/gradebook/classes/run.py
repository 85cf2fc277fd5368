"""A run over the submissions of a class: what was handed in, what stands already, what is to be done."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Protocol

from headcheck.course.assignment import load_assignment
from headcheck.course.config import Course
from headcheck.errors import UsageError
from headcheck.gradebook.classes.places import places_of
from headcheck.gradebook.classes.staging import Handed, Taken, find_handed, take
from headcheck.gradebook.classes.standing import Record, grades_in
from headcheck.gradebook.classes.steps import refuse_other_steps
from headcheck.gradebook.config import load_config
from headcheck.grading.store import VerdictStore
from headcheck.grading.verdict import Verdict
from headcheck.grading.versions import course_version, grader_version, submission_key, versions
from headcheck.i18n import _

ANY = "\0"
"""Stands for the student in a path."""


class Watch(Protocol):
    """Who wants to know how it goes."""

    def graded(self, student: str, verdict: Verdict) -> None:
        """A verdict is there, made now or found."""

    def entered(self, student: str) -> None:
        """Points and pages of a student are stored, now or already."""

    def warn(self, text: str) -> None:
        """Something to know, one line."""


@dataclass
class ClassResult:
    """What came of grading one assignment of a class."""

    assignment: str
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    """Student -> verdict."""
    fresh: int = 0
    """How many were graded now; the others' verdicts were found."""
    changed: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Student -> points before and now, where they differ."""
    not_entered: dict[str, str] = field(default_factory=dict)
    """Student -> why the gradebook has no score; a failed run leaves no old score standing."""
    database: str = ""
    feedback: Path = Path()


@dataclass
class One:
    """One submission on its way through a run."""

    handed: Handed
    key: str
    """What its verdict follows from."""
    timestamp: str
    unusable: str
    made_with: Mapping[str, str]
    """Versions that the verdict of an earlier run was made with; empty without one."""
    before: float | None
    """Points that it gave."""
    verdict: Verdict | None = None
    """The verdict that holds, without what the cells printed: that of thousands would add up. None: to be made."""
    copy: Path | None = None
    """Where the workers read it."""


@dataclass
class Survey:
    """What is to be done for the submissions of a class."""

    to_grade: list[One] = field(default_factory=list)
    to_enter: list[One] = field(default_factory=list)
    """Graded already, but the gradebook or the pages are not what they should be."""
    standing: list[One] = field(default_factory=list)
    """Nothing is to be done."""


class ClassRun:
    """One run over the submissions of an assignment in a class folder."""

    def __init__(self, folder: Path, course: Course, assignment: str, watch: Watch) -> None:
        """Prepare.

        Args:
            folder: class folder with `submitted/`.
            course: the course.
            assignment: the assignment.
            watch: is told how it goes.

        Raises:
            UsageError: the folder or its configuration cannot be used.
        """
        self.folder, self.course, self.assignment = folder.resolve(), course, course.require(assignment)
        self.watch = watch
        self.config = load_config(self.folder, check=refuse_other_steps)
        self.places = places_of(self.config)
        self.store = VerdictStore(self.folder, self.assignment, watch.warn)
        self.record = Record(self.folder, self.assignment, watch.warn)

    @cached_property
    def _versions(self) -> tuple[str, str]:
        """What every verdict of this run follows from, apart from the submission."""
        load_assignment(self.course, self.assignment)  # says so when it is not built
        return grader_version(self.course, self.assignment), course_version(self.course, self.assignment)

    def submissions(self, student: str | None = None) -> list[Handed]:
        """List the submissions.

        Args:
            student: only this one.

        Returns:
            One entry per student who handed something in, in the order of their names.

        Raises:
            UsageError: there are none.
        """
        before, after = self.places.folder(self.places.submitted, ANY, self.assignment).split(ANY, 1)
        pattern = glob.escape(before) + (glob.escape(student) if student else "*") + glob.escape(after)
        left_out = self.config.CourseDirectory.get("student_id_exclude", "").split(",")
        found = {path[len(before) : len(path) - len(after)]: Path(path) for path in glob.glob(pattern)}
        kept = [
            find_handed(name, folder, self.assignment)
            for name, folder in sorted(found.items())
            if folder.is_dir() and name not in left_out
        ]
        if not kept:
            raise UsageError(_("no submissions found at {pattern}").format(pattern=pattern))
        return kept

    def key_of(self, taken: Taken) -> str:
        """Name the verdict on a submission by everything that it follows from."""
        handed = taken.handed
        return submission_key(taken.data, (handed.path.name, handed.note, taken.unusable), *self._versions)

    def survey(self, handed: Sequence[Handed], regrade: bool = False, elsewhere: bool = False) -> Survey:
        """Find out what is to be done.

        Args:
            handed: the submissions.
            regrade: grade all of them again.
            elsewhere: accept verdicts that were made with other versions of the libraries, provided they all agree.

        Returns:
            Every submission, sorted by what it needs.

        Raises:
            UsageError: the verdicts were made with different versions.
        """
        survey = Survey()
        grades = (grades_in(self.places.database, self.assignment) or {}) if self.record.students else {}
        found = list(self._look(handed, elsewhere))
        refuse_mixture(self.assignment, [one.made_with for one in found if one.verdict])
        for one in found:
            if one.verdict is None or regrade:
                one.verdict = None
                survey.to_grade.append(one)
            elif self._stands(one, grades.get(one.handed.student)):
                survey.standing.append(one)
            else:
                survey.to_enter.append(one)
        return survey

    def _look(self, handed: Sequence[Handed], elsewhere: bool) -> Iterator[One]:
        for each in handed:
            taken = take(each)
            key, old = self.key_of(taken), self.store.get(each.student)
            holds = old is not None and old.key == key and (elsewhere or dict(old.versions) == versions())
            verdict = replace(old.verdict, notebook=str(each.path), outputs={}) if old is not None and holds else None
            made_with, before = (old.versions, old.verdict.score) if old is not None else ({}, None)
            yield One(each, key, taken.timestamp, taken.unusable, made_with, before, verdict)

    def _stands(self, one: One, grades: str | None) -> bool:
        entry = self.record.students.get(one.handed.student)
        if entry is None or self.record.source != self.source():
            return False
        same = (entry.key, entry.timestamp, entry.grades) == (one.key, one.timestamp, grades)
        return same and entry.files_are_there(self.folder)

    def source(self) -> str:
        """Name what the entries of this class are made from, apart from the verdicts."""
        config = self.folder / "nbgrader_config.py"
        return submission_key(config.read_bytes() if config.is_file() else b"", (), *self._versions)


def refuse_mixture(assignment: str, made_with: Sequence[Mapping[str, str]]) -> None:
    """Refuse verdicts that were made with different versions of the libraries.

    Args:
        assignment: the assignment.
        made_with: versions of each.

    Raises:
        UsageError: they differ.
    """
    names = sorted({name for each in made_with for name in each})
    mixed = {name: sorted({each.get(name, "?") for each in made_with}) for name in names}
    texts = [f"{name} {' / '.join(found)}" for name, found in mixed.items() if len(found) > 1]
    if texts:
        raise UsageError(
            _("{assignment}: the verdicts were made with different versions ({versions}); grade all with one").format(
                assignment=assignment, versions=", ".join(texts)
            )
        )
