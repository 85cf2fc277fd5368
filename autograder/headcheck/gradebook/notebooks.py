"""The notebook that nbgrader stores for a submission: the repaired cells, their outputs, the verdict."""

from __future__ import annotations

import base64
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

import nbformat

from headcheck.course.assignment import Assignment
from headcheck.course.submission import Submission, SubmittedCell, task_of
from headcheck.gradebook.markdown import harmless
from headcheck.grading.verdict import CellOutput, TaskVerdict, Verdict
from headcheck.i18n import _


def repaired_notebook(assignment: Assignment, submission: Submission) -> nbformat.NotebookNode:
    """Write a repaired submission as a notebook that every nbgrader step accepts.

    Args:
        assignment: the assignment.
        submission: the submission.

    Returns:
        A notebook with one cell per repaired cell, in that order; tests cells with their hidden region.
    """
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = nbformat.from_dict({"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}})
    notebook.cells = [_node(number, cell, assignment) for number, cell in enumerate(submission.cells)]
    return notebook


def _node(number: int, cell: SubmittedCell, assignment: Assignment) -> nbformat.NotebookNode:
    node = nbformat.NotebookNode(cell_type=cell.cell_type, metadata=nbformat.NotebookNode(), source=cell.source)
    if cell.cell_type == "code":
        node.update(execution_count=None, outputs=[])
    elif not any(cell.source == each.released for each in assignment.cells if each.cell_type == "markdown"):
        node.source = harmless(cell.source)
    node.id = f"cell-{number}"
    if cell.id:
        source_cell = assignment.by_id[cell.id]
        node.metadata["nbgrader"] = nbformat.from_dict(source_cell.metadata)
        if cell.kind in ("locked", "tests"):
            node.source = source_cell.source
    return node


def add_verdict(notebook: nbformat.NotebookNode, submission: Submission, verdict: Verdict) -> None:
    """Put what the cells printed and what the grader found into the notebook.

    Args:
        notebook: from `repaired_notebook`, perhaps read back from disk.
        submission: the submission it was made from.
        verdict: what came of it.
    """
    add_outputs(notebook, verdict.outputs)
    tasks = {task.task: task for task in verdict.tasks}
    full = verdict.to_json()
    notebook.metadata["headcheck"] = {
        "isolation": full["isolation"],
        "notes": full["notes"],
        "unreadable": verdict.unreadable,
    }
    for node, cell in zip(notebook.cells, submission.cells, strict=True):
        task = tasks.get(task_of(cell)) if cell.kind in ("tests", "manual") else None
        if task is not None:
            node.metadata["headcheck"] = {
                **next(item for item in full["tasks"] if item["task"] == task.task),
                "details": list(task.details),
                "named": task.named,
            }
        if task is not None and node.cell_type == "code":
            node.outputs.append(_output("stream", name="stdout", text=_verdict_text(task)))


SAID = "headcheck_said"
"""Key of a test cell's metadata: the sentence of ours among its outputs."""


def add_sentence(node: nbformat.NotebookNode, score: float | None, maximum: float, reason: str) -> None:
    """Put below a test cell of a plain nbgrader notebook why it has the points that it has.

    Args:
        node: the test cell, with its outputs.
        score: its points, None when a person decides.
        maximum: points of the cell.
        reason: one sentence.
    """
    points = _("a person decides") if score is None else f"{score:g} / {maximum:g}"
    text = _("headcheck: {points}. {reason}").format(points=points, reason=reason) + "\n"
    node.metadata[SAID] = text
    node.outputs.append(_output("stream", name="stdout", text=text))


def add_outputs(notebook: nbformat.NotebookNode, outputs: Mapping[int, CellOutput]) -> None:
    """Put into the code cells what they printed.

    Args:
        notebook: the notebook.
        outputs: index of a cell -> what it printed.
    """
    for index, node in enumerate(notebook.cells):
        if node.cell_type == "code":
            node.execution_count = index + 1 if index in outputs else None
            node.outputs = _outputs(outputs[index]) if index in outputs else []


def add_pictures(notebook: nbformat.NotebookNode, pictures: Mapping[int, Iterable[bytes]]) -> None:
    """Put the figures that cells drew below them.

    Args:
        notebook: the notebook, with its outputs.
        pictures: index of a cell -> PNG files.
    """
    for index, files in pictures.items():
        for file in files:
            data = {"image/png": base64.b64encode(file).decode(), "text/plain": _("(a figure)")}
            notebook.cells[index].outputs.append(_output("display_data", data=data, metadata={}))


def _output(kind: str, **fields: Any) -> nbformat.NotebookNode:
    """Make an output; nbformat's own `new_output` would check each against the schema, a sixth of writing a page."""
    return nbformat.from_dict({"output_type": kind, **fields})


def _outputs(printed: CellOutput) -> list[nbformat.NotebookNode]:
    """Make outputs of plain text only: nothing of a student's is ever HTML."""
    outputs = [
        _output("stream", name=name, text=text)
        for name, text in (("stdout", printed.stdout), ("stderr", printed.stderr))
        if text
    ]
    if printed.result:
        data = {"text/plain": printed.result}
        outputs.append(_output("execute_result", data=data, metadata={}, execution_count=None))
    if printed.error_name:
        lines = (printed.traceback or printed.error_message).splitlines()
        outputs.append(_output("error", ename=printed.error_name, evalue=printed.error_message, traceback=lines))
    return outputs


WIDTH = 100
"""Columns after which a line is broken: the formgrader shows what is printed as it is."""


def _verdict_text(task: TaskVerdict) -> str:
    points = _("headcheck: {score:g} of {max_score:g} points").format(score=task.score, max_score=task.max_score)
    lines = "\n".join([points, task.message, *task.details]).splitlines()
    return "\n".join(textwrap.fill(line, WIDTH, break_on_hyphens=False) for line in lines) + "\n"
