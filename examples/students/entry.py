"""What an entry of the class is: a student, the work of one notebook, and the points that a fair teacher gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from students.notebook import Edit

Lost = tuple[float, str, tuple[str, ...]]
"""Points, state and the ids of the mistakes of a task that is not fully right."""


@dataclass(frozen=True)
class Work:
    """One notebook of one student, and what it must get."""

    why: str
    """One sentence: what the points are for."""
    text: str = ""
    """The cells that the student wrote, in the form that `notebook.write_cells` reads."""
    edits: tuple[Edit, ...] = ()
    """What else happened to the notebook, after the text."""
    lost: Mapping[str, Lost] = field(default_factory=dict)
    """Task -> what it gets; all others are right."""
    ran: bool = True
    """The student ran all cells before saving, so that the file holds outputs."""
    cut_to: float = 1.0
    """The share of the file's bytes that arrived."""


@dataclass(frozen=True)
class Student:
    """One student."""

    name: str
    does: str
    """What this student is in the class for."""
    quiz: Work | None = None
    """None when it was not handed in."""
    bug_hunt: Work | None = None
    others: Mapping[str, Work] = field(default_factory=dict)
    """Assignment -> work; only a few students went on with the course."""

    @property
    def works(self) -> dict[str, Work]:
        """Assignment -> work that was handed in."""
        both = {"quiz": self.quiz, "bug_hunt": self.bug_hunt}
        return {assignment: work for assignment, work in both.items() if work is not None} | dict(self.others)


def lost(score: float, state: str, *mistakes: str) -> Lost:
    """Say what a task gets that is not fully right."""
    return score, state, mistakes
