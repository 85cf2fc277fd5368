"""nbgrader's steps that put a submitted notebook in order: every cell of the assignment once, as the course made it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
from nbgrader import preprocessors
from nbgrader.api import Gradebook, Notebook
from nbgrader.nbgraderformat import SCHEMA_VERSION

from headcheck.course.assignment import Assignment, SourceCell
from headcheck.course.notebook import RawCell
from headcheck.course.submission import identify
from headcheck.errors import UsageError
from headcheck.gradebook.plain.hidden_tests import without_hidden_tests
from headcheck.gradebook.plain.reading import NOTES, UNREADABLE
from headcheck.i18n import _

UNMARKED = {"schema_version": SCHEMA_VERSION, "grade": False, "solution": False, "locked": False, "task": False}
"""nbgrader's metadata of an ordinary cell."""

COPY = "headcheck_copy_of"
"""Key of a cell's metadata: the grade_id that a copied cell had."""


class DeduplicateIds(preprocessors.DeduplicateIds):
    """Takes the marks off all copies of a cell but the last, and remembers whose copies they are."""

    def preprocess(
        self, nb: nbformat.NotebookNode, resources: dict[str, Any]
    ) -> tuple[nbformat.NotebookNode, dict[str, Any]]:
        """Work as nbgrader's step does; which copy counts is decided in `OverwriteCells`."""
        ids = [_claimed(cell) for cell in nb.cells]
        nb, resources = super().preprocess(nb, resources)
        for cell, grade_id in zip(nb.cells, ids, strict=True):
            if grade_id and not _claimed(cell):
                cell.metadata[COPY] = grade_id
        return nb, resources


class OverwriteCells(preprocessors.OverwriteCells):
    """Puts the course's cells in place, whatever a student or his editor did to them."""

    def preprocess(
        self, nb: nbformat.NotebookNode, resources: dict[str, Any]
    ) -> tuple[nbformat.NotebookNode, dict[str, Any]]:
        """Repair a notebook in place.

        Args:
            nb: the notebook as it was read.
            resources: nbgrader's resources.

        Returns:
            Both.

        Raises:
            UsageError: it is a notebook of another assignment.
        """
        ids = resources["nbgrader"]
        with Gradebook(ids["db_url"]) as gradebook:
            assignment = stored_assignment(gradebook.find_notebook(ids["notebook"], ids["assignment"]))
        notes = self._put_in_order(nb, assignment, f"{ids['assignment']}/{ids['notebook']}")
        if notes and UNREADABLE not in nb.metadata:
            nb.metadata[NOTES] = notes
            self.log.warning("%s: %s", ids.get("student", ""), "; ".join(notes))
        return nb, resources

    def _put_in_order(self, nb: nbformat.NotebookNode, assignment: Assignment, name: str) -> list[str]:
        raw = [RawCell("code" if c.cell_type == "code" else "markdown", c.source, _claimed(c)) for c in nb.cells]
        ids, notes = identify(raw, assignment)
        if not any(ids) and any(cell.grade_id and _is_marked(node) for cell, node in zip(raw, nb.cells, strict=True)):
            raise UsageError(_("not the notebook of {name}: it holds cells of another assignment").format(name=name))
        for cell, grade_id in zip(nb.cells, ids, strict=True):
            if grade_id:
                self._restore(cell, assignment.by_id[grade_id], notes)
            elif "nbgrader" in cell.metadata:
                cell.metadata["nbgrader"] = nbformat.from_dict(UNMARKED)
            cell.metadata.pop(COPY, None)
        for source_cell in assignment.cells:
            if source_cell.id not in ids:
                _insert(nb, source_cell, assignment)
                notes.append(_("cell {id} was missing").format(id=source_cell.id))
        return notes

    def _restore(self, cell: nbformat.NotebookNode, source_cell: SourceCell, notes: list[str]) -> None:
        """Give a cell its type, its metadata and, when it is locked, its text; a student's tags have no say in it."""
        changed = cell.cell_type != source_cell.cell_type
        self.update_cell_type(cell, source_cell.cell_type)
        cell.metadata["nbgrader"] = nbformat.from_dict(source_cell.metadata)
        cell.metadata.pop("tags", None)
        if source_cell.kind in ("locked", "tests"):
            changed = changed or cell.source not in (source_cell.source, source_cell.released)
            cell.source = source_cell.source
            if changed:
                notes.append(_("cell {id} was edited; the original was used").format(id=source_cell.id))


def stored_assignment(notebook: Notebook) -> Assignment:
    """Read the cells of a notebook as `nbgrader generate_assignment` stored them.

    Args:
        notebook: the row of the gradebook.

    Returns:
        Its cells that have a grade_id, hidden tests included; the answers' texts are the stubs.
    """
    graded = {cell.name: cell.max_score for cell in [*notebook.grade_cells, *notebook.task_cells]}
    tasks = {cell.name for cell in notebook.task_cells}
    answers = {cell.name for cell in notebook.solution_cells}
    cells = []
    for cell in notebook.source_cells:
        grade = cell.name in graded and cell.name not in tasks
        metadata = {
            "schema_version": SCHEMA_VERSION,
            "grade": grade,
            "grade_id": cell.name,
            "locked": cell.locked,
            "solution": cell.name in answers,
            "task": cell.name in tasks,
            "cell_type": cell.cell_type,
            "checksum": cell.checksum,
        }
        if cell.name in graded:
            metadata["points"] = graded[cell.name]
        kind = _kind(grade, cell.name in answers)
        source = cell.source or ""
        released = without_hidden_tests(source)
        cells.append(SourceCell(cell.name, kind, cell.cell_type, source, released, graded.get(cell.name), metadata))
    return Assignment(notebook.name, tuple(cells), Path())


def _kind(grade: bool, solution: bool) -> str:
    kinds = {(True, True): "manual", (True, False): "tests", (False, True): "solution"}
    return kinds.get((grade, solution), "locked")


def _claimed(cell: nbformat.NotebookNode) -> str:
    """Return the grade_id that a cell claims to have."""
    claim = cell.metadata.get("nbgrader")
    grade_id = claim.get("grade_id") if isinstance(claim, dict) else None
    grade_id = grade_id or cell.metadata.get(COPY)
    return grade_id if isinstance(grade_id, str) and len(grade_id) <= 100 else ""


def _is_marked(cell: nbformat.NotebookNode) -> bool:
    """Whether a cell claims to be one that nbgrader knows."""
    return COPY in cell.metadata or any(
        cell.metadata["nbgrader"].get(flag) for flag in ("grade", "solution", "locked", "task")
    )


def _insert(nb: nbformat.NotebookNode, source_cell: SourceCell, assignment: Assignment) -> None:
    """Put a missing cell behind the one that precedes it in the assignment; one with a task, at the end."""
    order = [cell.id for cell in assignment.cells]
    before = set(order[: order.index(source_cell.id)])
    position = max((i + 1 for i, cell in enumerate(nb.cells) if _claimed(cell) in before), default=0)
    if source_cell.metadata["task"]:
        position = len(nb.cells)
    make = nbformat.v4.new_code_cell if source_cell.cell_type == "code" else nbformat.v4.new_markdown_cell
    cell = make(source_cell.source, metadata=nbformat.from_dict({"nbgrader": source_cell.metadata}))
    cell.id = f"missing-{order.index(source_cell.id)}"
    nb.cells.insert(position, cell)
