"""nbgrader's SaveAutoGrades step, with points that come from the grader and not from what a cell printed."""

from __future__ import annotations

from typing import Any

import nbformat
from nbgrader import preprocessors, utils
from nbgrader.api import BaseCell, Comment, Grade, Gradebook, SubmittedNotebook

from headcheck.course.build import HIDDEN_CALL
from headcheck.gradebook.plain.points import Points, partial_credit
from headcheck.gradebook.plain.reading import NOTES, UNREADABLE
from headcheck.gradebook.rows import NO_RESPONSE
from headcheck.i18n import _


class SaveAutoGrades(preprocessors.SaveAutoGrades):
    """Enters points and remarks into the gradebook, all of a notebook's at once."""

    def preprocess(
        self, nb: nbformat.NotebookNode, resources: dict[str, Any]
    ) -> tuple[nbformat.NotebookNode, dict[str, Any]]:
        """Enter what came of a notebook; what a person gave is kept and marked for another look.

        Args:
            nb: the graded notebook.
            resources: nbgrader's resources, with `headcheck`: grade_id -> Points, and `headcheck_untouched`: names of
                answers that nobody gave.

        Returns:
            Both.
        """
        ids = resources["nbgrader"]
        cells = [cell for cell in nb.cells if utils.is_grade(cell) or _takes_comments(cell)]
        points: dict[str, Points] = resources.get("headcheck", {})
        untouched: set[str] = resources.get("headcheck_untouched", set())
        with Gradebook(ids["db_url"]) as gradebook:
            row = gradebook.find_submission_notebook(ids["notebook"], ids["assignment"], ids["student"])
            grades, comments = _rows(gradebook, Grade, row), _rows(gradebook, Comment, row)
            for cell in cells:
                name = cell.metadata["nbgrader"]["grade_id"]
                if utils.is_grade(cell):
                    enter(grades[name], points[name] if name in points else points_without_run(cell))
                if _takes_comments(cell):
                    comments[name].auto_comment = NO_RESPONSE if name in untouched else _remark(cell)
            _add_notes([comments[c.metadata["nbgrader"]["grade_id"]] for c in cells if _takes_comments(c)], nb)
            gradebook.db.commit()
        return nb, resources


def enter(grade: Grade, points: Points) -> None:
    """Enter the points of one cell.

    Args:
        grade: the row of the gradebook.
        points: what the cell is worth.
    """
    grade.auto_score = points.score
    grade.needs_manual_grade = points.look or points.score is None or grade.manual_score is not None


def points_without_run(cell: nbformat.NotebookNode) -> Points:
    """Tell the points of a cell that was not run: a person reads it, or nbgrader was told `--no-execute`.

    Args:
        cell: a grade cell; the outputs of a test are then those that the student handed in.

    Returns:
        The points.
    """
    if utils.is_solution(cell) or cell.cell_type != "code":
        score, _maximum = utils.determine_grade(cell)
        return Points(score)
    if HIDDEN_CALL in cell.source:
        return Points(None)
    maximum = float(cell.metadata["nbgrader"]["points"])
    for output in cell.outputs:
        if output.output_type == "error":
            return Points(0.0)
        if output.output_type == "execute_result":
            return partial_credit(str(output["data"].get("text/plain", "")), maximum)
    return Points(maximum)


def _rows(gradebook: Gradebook, kind: Any, notebook: SubmittedNotebook) -> dict[str, Any]:
    """Fetch a submitted notebook's grades or comments by the name of their cell, in one query."""
    query = gradebook.db.query(BaseCell.name, kind).join(kind, kind.cell_id == BaseCell.id)
    return dict(query.filter(kind.notebook_id == notebook.id).all())


def _remark(cell: nbformat.NotebookNode) -> str | None:
    """Say what nbgrader says: nothing, unless the answer is as it was released."""
    unchanged = cell.metadata["nbgrader"].get("checksum") == utils.compute_checksum(cell)
    return NO_RESPONSE if unchanged and not utils.is_task(cell) else None


def _takes_comments(cell: nbformat.NotebookNode) -> bool:
    return bool(utils.is_solution(cell) or utils.is_task(cell))


def _add_notes(comments: list[Comment], nb: nbformat.NotebookNode) -> None:
    """Put what was odd about the submission at its first answer, where the formgrader and the feedback show it."""
    unreadable = nb.metadata.get(UNREADABLE, "")
    notes = [_("The notebook could not be read: {reason}").format(reason=unreadable)] if unreadable else []
    notes += nb.metadata.get(NOTES, [])
    if comments and notes:
        own = [comments[0].auto_comment] if comments[0].auto_comment else []
        comments[0].auto_comment = "\n\n".join([*own, *notes])
