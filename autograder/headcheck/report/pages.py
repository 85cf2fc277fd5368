"""Writes what a class keeps of one graded submission: the notebook in `autograded/`, the page in `feedback/`.

The files are those of nbgrader's `autograde` and `generate_feedback`. It runs in the workers of a class run.
"""

from __future__ import annotations

import functools
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat

from headcheck.course.assignment import Assignment, load_assignment
from headcheck.course.config import load_course
from headcheck.course.files import write_atomically
from headcheck.course.submission import Submission, read_or_stand_in, unreadable_submission
from headcheck.gradebook.classes.standing import stamp
from headcheck.gradebook.notebooks import add_verdict, repaired_notebook
from headcheck.grading.store import read_kept
from headcheck.report.collect import feedback_page
from headcheck.report.feedback import render_feedback


def write_pages(
    root: str,
    assignment: str,
    student: str,
    taken: Mapping[str, str],
    verdict: Mapping[str, str],
    entry: Mapping[str, Any],
    marks: Mapping[str, Any],
    steps: Mapping[str, Any],
    beside: Mapping[str, str],
) -> dict[str, Any] | None:
    """Write both.

    Args:
        root: folder of the course.
        assignment: the assignment.
        student: the student.
        taken: `path` of a copy of the notebook, `unusable` if there is none, `timestamp`.
        verdict: `path` of the file that holds it, and its `key`.
        entry: what the gradebook says, see `headcheck.gradebook.classes.ledger.Entry`.
        marks: what nbgrader puts into every notebook, see `Ledger.marks`.
        steps: `autograded` and `feedback`: folder and permissions.
        beside: files of the course that lie beside the notebook: path in its folder -> path.

    Returns:
        Path -> size and time of change of every file that was written; None when the verdict is another one by now.
    """
    kept = read_kept(Path(verdict["path"]))
    if kept.key != verdict["key"]:
        return None
    task = _assignment(root, assignment)
    submission = _submission(taken, task)
    notebook = repaired_notebook(task, submission)
    notebook.metadata["language_info"] = {"name": "python"}
    if marks["kernelspec"]:
        notebook.metadata["kernelspec"] = marks["kernelspec"]
    _set_checksums(notebook, marks["checksums"])
    add_verdict(notebook, submission, kept.verdict)
    files = {f"{assignment}.ipynb": nbformat.v4.writes(notebook)}
    written = _write(steps["autograded"], files, taken["timestamp"], beside)
    _add_grades(notebook, entry)
    grades = {**{name: entry[name] for name in ("score", "max_score", "late_penalty")}, "assignment": assignment}
    page = feedback_page(notebook, {"nbgrader": {**grades, "student": student}}, load_course(Path(root)).name)
    files = {f"{assignment}.html": render_feedback(page)}
    return written | _write(steps["feedback"], files, taken["timestamp"], beside)


@functools.lru_cache(maxsize=4)
def _assignment(root: str, name: str) -> Assignment:
    return load_assignment(load_course(Path(root)), name)


def _submission(taken: Mapping[str, str], assignment: Assignment) -> Submission:
    if taken["unusable"]:
        return unreadable_submission(assignment, taken["unusable"])
    return read_or_stand_in(Path(taken["path"]), assignment)


def _set_checksums(notebook: nbformat.NotebookNode, checksums: Mapping[str, str]) -> None:
    for cell in notebook.cells:
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        if grade_id in checksums:
            cell.metadata.nbgrader["checksum"] = checksums[grade_id]


def _add_grades(notebook: nbformat.NotebookNode, entry: Mapping[str, Any]) -> None:
    """Do what nbgrader's GetGrades does, from what the gradebook was seen to say."""
    for cell in notebook.cells:
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        if grade_id in entry["comments"]:
            cell.metadata.nbgrader["comment"] = entry["comments"][grade_id]
        if grade_id in entry["cells"]:
            cell.metadata.nbgrader["score"], cell.metadata.nbgrader["points"] = entry["cells"][grade_id]


def _write(
    step: Mapping[str, Any], files: Mapping[str, str], timestamp: str, beside: Mapping[str, str]
) -> dict[str, Any]:
    """Fill a folder of the class anew; nothing of an earlier run stays in it."""
    folder = Path(step["folder"])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, source in beside.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, folder / name)
    for name, content in {**files, **({"timestamp.txt": timestamp} if timestamp else {})}.items():
        write_atomically(folder / name, content)
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    for path in paths:
        os.chmod(path, step["permissions"])
    if step["shared"]:
        for shared in (folder, folder.parent):
            os.chmod(shared, shared.stat().st_mode | 0o2770)
    return {str(path): stamp(path) for path in paths}
