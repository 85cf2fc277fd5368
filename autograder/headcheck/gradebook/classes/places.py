"""Where a class keeps its things, as nbgrader's CourseDirectory says, without taking the second to load nbgrader."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from traitlets.config import Config

STRUCTURE = os.path.join("{nbgrader_step}", "{student_id}", "{assignment_id}")


@dataclass(frozen=True)
class Places:
    """Folders and database of a class."""

    root: Path
    structure: str
    submitted: str
    autograded: str
    feedback: str
    source: str
    database: str
    """SQLAlchemy's URL."""

    def folder(self, step: str, student: str, assignment: str) -> str:
        """Return the path of a step's folder, by nbgrader's `directory_structure`."""
        named = self.structure.format(nbgrader_step=step, student_id=student, assignment_id=assignment)
        return os.path.join(self.root, named)


def places_of(config: Config) -> Places:
    """Read the places from nbgrader's configuration.

    Args:
        config: with `CourseDirectory.root` set.

    Returns:
        The places.
    """
    said = config.CourseDirectory
    root = Path(os.path.abspath(said.root))
    return Places(
        root=root,
        structure=said.get("directory_structure", STRUCTURE),
        submitted=said.get("submitted_directory", "submitted"),
        autograded=said.get("autograded_directory", "autograded"),
        feedback=said.get("feedback_directory", "feedback"),
        source=said.get("source_directory", "source"),
        database=said.get("db_url") or f"sqlite:///{root / 'gradebook.db'}",
    )
