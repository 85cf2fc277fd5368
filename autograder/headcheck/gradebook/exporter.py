"""Reads a submitted notebook for nbgrader: under limits, repaired, so that no step can stumble over it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbgrader.coursedir import CourseDirectory

from headcheck.course.assignment import Assignment, load_assignment
from headcheck.course.config import find_course
from headcheck.course.submission import read_or_stand_in
from headcheck.gradebook.links import refuse_links
from headcheck.gradebook.notebooks import repaired_notebook


def submitted_path(coursedir: CourseDirectory, resources: dict[str, Any]) -> Path:
    """Return the file that a student handed in for the notebook that is being converted."""
    ids = resources["nbgrader"]
    folder = coursedir.format_path(coursedir.submitted_directory, ids["student"], ids["assignment"])
    return Path(folder) / f"{ids['notebook']}.ipynb"


def headcheck_assignment(coursedir: CourseDirectory, name: str) -> Assignment | None:
    """Return the assignment if it is one of headcheck's, None for a plain nbgrader assignment."""
    course = find_course(Path(coursedir.root))
    return load_assignment(course, name) if name in course.assignments else None


class SubmissionExporter(NotebookExporter):
    """nbgrader's exporter for `autograde`, with a reader that trusts nothing."""

    def from_filename(self, filename: str, resources: Any = None, **kwargs: Any) -> tuple[str, Any]:
        """Convert one notebook file.

        Args:
            filename: the submitted file in nbgrader's first pass, the sanitized one in its second.
            resources: nbgrader's resources.
            kwargs: passed on.

        Returns:
            The notebook as JSON text, and the resources.
        """
        coursedir = self.parent.coursedir
        assignment = headcheck_assignment(coursedir, resources["nbgrader"]["assignment"])
        path = submitted_path(coursedir, resources)
        if assignment is None or Path(filename).resolve() != path.resolve():
            return tuple(super().from_filename(filename, resources=resources, **kwargs))
        refuse_links(path)
        notebook: nbformat.NotebookNode = repaired_notebook(assignment, read_or_stand_in(path, assignment))
        resources["metadata"] = {"name": path.stem, "path": str(path.parent)}
        return tuple(self.from_notebook_node(notebook, resources=resources, **kwargs))
