"""Reads a submitted notebook for nbgrader: under limits, repaired, so that no step can stumble over it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbgrader.api import Gradebook
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from traitlets import Bool

from headcheck.course.submission import read_or_stand_in
from headcheck.errors import UsageError
from headcheck.gradebook.courses import headcheck_assignment
from headcheck.gradebook.links import refuse_links
from headcheck.gradebook.notebooks import repaired_notebook
from headcheck.gradebook.plain.reading import read_plain, unreadable
from headcheck.gradebook.rows import clear_scores
from headcheck.jail.errors import JailUnavailable
from headcheck.jail.launcher import launch_ahead


def submitted_path(coursedir: CourseDirectory, resources: dict[str, Any]) -> Path:
    """Return the file that a student handed in for the notebook that is being converted."""
    ids = resources["nbgrader"]
    folder = coursedir.format_path(coursedir.submitted_directory, ids["student"], ids["assignment"])
    return Path(folder) / f"{ids['notebook']}.ipynb"


class SubmissionExporter(NotebookExporter):
    """nbgrader's exporter for `autograde`, with a reader that trusts nothing."""

    optimistic_validation = Bool(True)  # the finished notebook is validated, not also what every step makes of it

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Make sure that grading will work before anything is touched.

        Raises:
            NbGraderException: there is no jail, or the assignment is not complete; nothing is graded.
        """
        super().__init__(*args, **kwargs)
        if self.config.get("Execute", {}).get("enabled", True) is not False:
            self._prepare()

    def _prepare(self) -> None:
        if "headcheck.gradebook.dropin.desk" not in sys.modules:
            launch_ahead()  # it imports torch at the same time as the next line does
        from headcheck.gradebook.dropin.desk import desk_for

        coursedir = self.parent.coursedir
        desk = desk_for(Path(coursedir.root))
        try:
            if headcheck_assignment(coursedir, coursedir.assignment_id) is None:
                desk.plain_jail(Path(coursedir.root)).spawn().close()
            else:
                desk.prepare(coursedir.assignment_id)
        except (JailUnavailable, UsageError) as error:
            self.log.error("%s", error)
            raise NbGraderException(str(error)) from error

    def from_filename(self, filename: str, resources: Any = None, **kwargs: Any) -> tuple[str, Any]:
        """Convert one notebook file.

        Args:
            filename: the submitted file in nbgrader's first pass, the sanitized one in its second.
            resources: nbgrader's resources.
            kwargs: passed on.

        Returns:
            The notebook as JSON text, and the resources.
        """
        path = submitted_path(self.parent.coursedir, resources)
        if Path(filename).resolve() != path.resolve():
            return tuple(super().from_filename(filename, resources=resources, **kwargs))
        ids = resources["nbgrader"]
        with Gradebook(ids["db_url"]) as gradebook:  # whatever happens from here on, no old score is left standing
            clear_scores(gradebook, ids["assignment"], ids["student"], ids["notebook"])
        refuse_links(path)
        resources["metadata"] = {"name": path.stem, "path": str(path.parent)}
        return tuple(self.from_notebook_node(self._read(path, ids["assignment"]), resources=resources, **kwargs))

    def _read(self, path: Path, name: str) -> nbformat.NotebookNode:
        assignment = headcheck_assignment(self.parent.coursedir, name)
        if assignment is not None:
            return repaired_notebook(assignment, read_or_stand_in(path, assignment))
        keep_outputs = self.config.get("ClearOutput", {}).get("enabled", True) is False
        try:
            return read_plain(path, outputs=keep_outputs)
        except UsageError as error:
            self.log.warning("%s", error)
            return unreadable(str(error).removeprefix(f"{path}: "))
