"""Makes the example class: every student's notebooks from release/, what each must get, and who is who.

Run it after `headcheck build`: python examples/make_class.py
"""

from __future__ import annotations

import copy
import json
import shutil
from pathlib import Path
from typing import Any

from students import STUDENTS, cheats
from students.entry import Lost, Student, Work
from students.notebook import Notebook, write_cells
from students.outputs import run_all

ROOT = Path(__file__).resolve().parents[1]
CLASS = Path(__file__).resolve().parent / "class"

README = """\
# The example class

{count} made-up students, and what they handed in for `quiz` ({quiz} points, {by_hand} of them given by a person) and
`bug_hunt` ({bug_hunt} points). Grade a copy, so that this folder stays as it is:

    cp -r examples/class demo
    headcheck grade quiz bug_hunt --course demo

nbgrader's own commands work in the copy as well, because `nbgrader_config.py` is there. The other five assignments were
handed in by three students only: amina (all right), farid (one mistake in each) and bekzod (untouched).

| student | what happened | quiz | bug_hunt |
|---|---|---|---|
{rows}

The attackers ({attackers}) do no real harm if they succeed: they leave a marker file or raise their score.

`expected.json` holds, for every task, the points, the state and the mistakes that must come out, and why. It, this page
and `submitted/` are made by `examples/make_class.py` from `release/` and the entries in `examples/students/`: to add a
student, add an entry there. Run it again after `headcheck build`.
"""


def released(assignment: str) -> Notebook:
    """Read a notebook as students get it."""
    path = ROOT / "release" / assignment / f"{assignment}.ipynb"
    notebook: Notebook = json.loads(path.read_text(encoding="utf-8"))
    return notebook


def points(notebook: Notebook) -> dict[str, float]:
    """Read the points of each task from a notebook, in its order."""
    marks = (cell["metadata"].get("nbgrader", {}) for cell in notebook["cells"])
    return {mark["grade_id"].removesuffix("_tests"): mark["points"] for mark in marks if mark.get("grade")}


def manual_tasks(notebook: Notebook) -> set[str]:
    """Name the tasks that a person grades."""
    marks = (cell["metadata"].get("nbgrader", {}) for cell in notebook["cells"])
    return {mark["grade_id"] for mark in marks if mark.get("grade") and mark.get("solution")}


def handed_in(work: Work, assignment: str) -> bytes:
    """Make the file that a student handed in.

    Args:
        work: what the student did.
        assignment: to which notebook.

    Returns:
        The file's bytes, the same in every run.
    """
    notebook = copy.deepcopy(released(assignment))
    write_cells(notebook, work.text)
    if work.ran:
        run_all(notebook, wrong=set(work.lost))
    for edit in work.edits:
        edit(notebook)
    text = json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    data = text.encode()
    return data[: int(len(data) * work.cut_to)]


def expected(work: Work, assignment: str) -> dict[str, Any]:
    """Say what a notebook must get: all points except for what the entry says."""
    notebook = released(assignment)
    manual, worth = manual_tasks(notebook), points(notebook)
    unknown = set(work.lost) - set(worth)
    if unknown:
        raise ValueError(f"{assignment} has no task {unknown}")
    results = {
        task: work.lost.get(task) or ((0.0, "manual", ()) if task in manual else (most, "correct", ()))
        for task, most in worth.items()
    }
    return {
        "score": _number(sum(score for score, _state, _mistakes in results.values())),
        "max_score": _number(sum(worth.values())),
        "why": work.why,
        "tasks": {task: _task(result) for task, result in results.items()},
    }


def _task(result: Lost) -> dict[str, Any]:
    score, state, mistakes = result
    return {"score": _number(score), "state": state, "mistakes": list(mistakes)}


def _number(value: float) -> float | int:
    return int(value) if value == int(value) else value


def class_files() -> dict[str, bytes]:
    """Make everything that is not written by hand.

    Returns:
        Path below the class folder -> bytes.
    """
    files = {
        f"submitted/{student.name}/{assignment}/{assignment}.ipynb": handed_in(work, assignment)
        for student in STUDENTS
        for assignment, work in student.works.items()
    }
    results = {student.name: _expected_of(student) for student in STUDENTS}
    files["expected.json"] = (json.dumps(results, indent=1, ensure_ascii=False) + "\n").encode()
    files["README.md"] = who_is_who(results).encode()
    return files


def who_is_who(results: dict[str, Any]) -> str:
    """Write the page that introduces the students.

    Args:
        results: what `expected.json` holds.
    """
    quiz, bug_hunt = released("quiz"), released("bug_hunt")
    rows = (
        f"| {s.name} | {s.does} | {_score(results, s, 'quiz')} | {_score(results, s, 'bug_hunt')} |" for s in STUDENTS
    )
    return README.format(
        count=len(STUDENTS),
        quiz=sum(points(quiz).values()),
        by_hand=sum(points(quiz)[task] for task in manual_tasks(quiz)),
        bug_hunt=sum(points(bug_hunt).values()),
        rows="\n".join(rows),
        attackers=", ".join(sorted(student.name for student in cheats.STUDENTS)),
    )


def _score(results: dict[str, Any], student: Student, assignment: str) -> str:
    found = results[student.name].get(assignment)
    return f"{found['score']:g}" if found else "-"


def _expected_of(student: Student) -> dict[str, Any]:
    return {assignment: expected(work, assignment) for assignment, work in student.works.items()}


def main() -> None:
    """Write the class."""
    shutil.rmtree(CLASS / "submitted", ignore_errors=True)
    for name, data in class_files().items():
        path = CLASS / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    print(f"wrote {len(STUDENTS)} students to {CLASS}")


if __name__ == "__main__":
    main()
