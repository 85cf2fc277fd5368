"""Collects what stands on a feedback page from the notebook that nbgrader stores."""

from __future__ import annotations

from typing import Any

import nbformat

from headcheck.report.feedback import FeedbackPage, TaskSection

MAX_PRINTED = 20_000
NO_RESPONSE = "No response."


def feedback_page(nb: nbformat.NotebookNode, resources: dict[str, Any], course: str) -> FeedbackPage:
    """Collect what stands on the page.

    Args:
        nb: autograded notebook with the gradebook's scores in its metadata (nbgrader's GetGrades).
        resources: nbgrader's resources.
        course: name of the course.

    Returns:
        The page.
    """
    grades = resources["nbgrader"]
    answers = {c.metadata.nbgrader.grade_id: c for c in nb.cells if c.metadata.get("nbgrader", {}).get("solution")}
    return FeedbackPage(
        course=course,
        assignment=grades["assignment"],
        student=grades["student"],
        score=grades["score"],
        max_score=grades["max_score"],
        tasks=[_section(cell, answers) for cell in nb.cells if "headcheck" in cell.metadata],
        notes=list(nb.metadata.headcheck.get("notes", [])),
        isolation=nb.metadata.headcheck.get("isolation", ""),
        late_penalty=grades.get("late_penalty") or 0,
        unreadable=nb.metadata.headcheck.get("unreadable", ""),
    )


def _section(cell: nbformat.NotebookNode, answers: dict[str, nbformat.NotebookNode]) -> TaskSection:
    found, graded = cell.metadata.headcheck, cell.metadata.nbgrader
    answer = answers.get(found.task)
    return TaskSection(
        name=found.task,
        score=graded.get("score") or 0,
        max_score=graded.points,
        state=found.state,
        paragraphs=[line for line in found.message.splitlines() if line.strip()],
        details=list(found.get("details", [])),
        mistakes=list(found.mistakes) if found.get("named", True) else [],
        code=answer.source if answer is not None and answer.cell_type == "code" else "",
        text=answer.source if answer is not None and answer.cell_type == "markdown" else "",
        printed=_printed(answer) + (_printed(cell) if cell is not answer else ""),
        comment=_comment(answer),
        pending=found.state == "manual" and not graded.get("score"),
    )


def _comment(answer: nbformat.NotebookNode | None) -> str:
    """Return what a person wrote; nbgrader's automatic remark says no more than the state does."""
    comment = "" if answer is None else answer.metadata.nbgrader.get("comment") or ""
    return "" if comment == NO_RESPONSE else comment


def _printed(cell: nbformat.NotebookNode | None) -> str:
    """Join what a cell printed, without the verdict that headcheck put last."""
    if cell is None or cell.cell_type != "code":
        return ""
    outputs = cell.outputs[:-1] if "headcheck" in cell.metadata else cell.outputs
    parts = []
    for output in outputs:
        if output.output_type == "stream":
            parts.append(output.text)
        elif output.output_type == "execute_result":
            parts.append(output.data.get("text/plain", "") + "\n")
        elif output.output_type == "error":
            parts.append("\n".join(output.traceback) + "\n")
    return "".join(parts)[:MAX_PRINTED]
