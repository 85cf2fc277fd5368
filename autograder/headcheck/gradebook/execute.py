"""nbgrader's Execute step, with the jail in place of a kernel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
from nbgrader import preprocessors

from headcheck.course.submission import Submission, SubmittedCell, read_or_stand_in
from headcheck.gradebook.desk import desk_for
from headcheck.gradebook.exporter import headcheck_assignment, submitted_path
from headcheck.gradebook.notebooks import add_outputs, add_verdict


class Execute(preprocessors.Execute):
    """Runs the cells in the jail; for headcheck's assignments it brings the verdict along."""

    def preprocess(
        self, nb: nbformat.NotebookNode, resources: dict[str, Any], km: Any = None
    ) -> tuple[nbformat.NotebookNode, dict[str, Any]]:
        """Run a notebook.

        Args:
            nb: the sanitized notebook; gets outputs.
            resources: nbgrader's resources; gets `headcheck`, the points of each tests cell.
            km: ignored, there is no kernel.

        Returns:
            Both.
        """
        coursedir = self.parent.parent.coursedir
        desk = desk_for(Path(coursedir.root))
        name = resources["nbgrader"]["assignment"]
        assignment = headcheck_assignment(coursedir, name)
        nb.metadata["language_info"] = {"name": "python"}
        if assignment is None:
            process = desk.plain_process(_plain_submission(nb))
            process.close()
            add_outputs(nb, process.outputs)
            return nb, resources
        path = submitted_path(coursedir, resources)
        verdict = desk.verdict(path, name)
        add_verdict(nb, read_or_stand_in(path, assignment), verdict)
        resources["headcheck"] = {
            task.grade_id: result.score for task, result in zip(assignment.tasks, verdict.tasks, strict=True)
        }
        return nb, resources


def _plain_submission(nb: nbformat.NotebookNode) -> Submission:
    """Take the cells of a plain nbgrader notebook as they are, hidden tests included; tags are ignored."""
    return Submission(tuple(SubmittedCell("plain", "", c.cell_type, c.source, _runs(c)) for c in nb.cells))


def _runs(cell: nbformat.NotebookNode) -> bool:
    return cell.cell_type == "code" and bool(cell.source.strip())
