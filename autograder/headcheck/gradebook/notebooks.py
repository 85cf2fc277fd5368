"""The notebook that nbgrader stores for a submission: the repaired cells, their outputs, the verdict."""

from __future__ import annotations

from collections.abc import Mapping

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
    notebook = nbformat.v4.new_notebook(
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    )
    notebook.cells = [_node(number, cell, assignment) for number, cell in enumerate(submission.cells)]
    return notebook


def _node(number: int, cell: SubmittedCell, assignment: Assignment) -> nbformat.NotebookNode:
    if cell.cell_type == "code":
        node = nbformat.v4.new_code_cell(cell.source)
    else:
        ours = any(cell.source == each.released for each in assignment.cells if each.cell_type == "markdown")
        node = nbformat.v4.new_markdown_cell(cell.source if ours else harmless(cell.source))
    node.id = f"cell-{number}"
    if cell.id:
        source_cell = assignment.by_id[cell.id]
        node.metadata["nbgrader"] = dict(source_cell.metadata)
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
            node.outputs.append(nbformat.v4.new_output("stream", name="stdout", text=_verdict_text(task)))


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


def _outputs(printed: CellOutput) -> list[nbformat.NotebookNode]:
    """Make outputs of plain text only: nothing of a student's is ever HTML."""
    outputs = [
        nbformat.v4.new_output("stream", name=name, text=text)
        for name, text in (("stdout", printed.stdout), ("stderr", printed.stderr))
        if text
    ]
    if printed.result:
        outputs.append(nbformat.v4.new_output("execute_result", data={"text/plain": printed.result}))
    if printed.error_name:
        outputs.append(
            nbformat.v4.new_output(
                "error",
                ename=printed.error_name,
                evalue=printed.error_message,
                traceback=(printed.traceback or printed.error_message).splitlines(),
            )
        )
    return outputs


def _verdict_text(task: TaskVerdict) -> str:
    points = _("headcheck: {score:g} of {max_score:g} points").format(score=task.score, max_score=task.max_score)
    return "\n".join([points, task.message, *task.details]) + "\n"
