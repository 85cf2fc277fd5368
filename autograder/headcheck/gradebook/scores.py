"""nbgrader's SaveAutoGrades step, with points that come from the verdict, or from strictly read outputs."""

from __future__ import annotations

import re
from typing import Any

import nbformat
from nbgrader import preprocessors, utils

from headcheck.course.build import HIDDEN_CALL

NUMBER = re.compile(r"^(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?$")

WRAPPED = re.compile(r"^(?:np\.float(?:16|32|64)|np\.u?int\d+|tensor)\(([^(),]*)\)$")
"""How numpy 2 and torch print one number; stock nbgrader reads it as full points."""


class SaveAutoGrades(preprocessors.SaveAutoGrades):
    """Enters points into the gradebook."""

    def _add_score(self, cell: nbformat.NotebookNode, resources: dict[str, Any]) -> None:
        """Enter the points of one cell; what a person gave is kept and marked for another look."""
        grade_id = cell.metadata["nbgrader"]["grade_id"]
        grade = self.gradebook.find_grade(grade_id, self.notebook_id, self.assignment_id, self.student_id)
        verdict = resources.get("headcheck", {})
        if cell.cell_type == "code" and grade_id in verdict:
            grade.auto_score = float(verdict[grade_id])
        else:
            grade.auto_score = score_of(cell)
        grade.needs_manual_grade = grade.manual_score is not None or grade.auto_score is None
        self.gradebook.db.commit()


def score_of(cell: nbformat.NotebookNode) -> float | None:
    """Tell the points of a cell that headcheck has no verdict on.

    Unlike stock nbgrader, a warning costs nothing, and what is not plainly a number between 0 and the maximum earns
    nothing: `nan`, `True`, negative or too large values. `np.float64(0.5)` and `tensor(0.5000)` are read as 0.5.

    Args:
        cell: a grade cell with its outputs.

    Returns:
        The points; None when a person has to decide.
    """
    maximum = float(cell.metadata["nbgrader"]["points"])
    if utils.is_solution(cell) or cell.cell_type != "code":
        score, _maximum = utils.determine_grade(cell)
        return score if score is None else float(score)
    if HIDDEN_CALL in cell.source:
        return None
    if cell.execution_count is None or any(output.output_type == "error" for output in cell.outputs):
        return 0.0
    results = [output for output in cell.outputs if output.output_type == "execute_result"]
    return _partial(results[0], maximum) if results else maximum


def _partial(output: nbformat.NotebookNode, maximum: float) -> float:
    """Read a partial score; anything but a plain number within the range is worth nothing."""
    text = str(output["data"].get("text/plain", "")).strip()
    wrapped = WRAPPED.match(text)
    text = wrapped[1] if wrapped else text
    if not NUMBER.match(text):
        return 0.0
    value = float(text)
    return value if 0 <= value <= maximum else 0.0
