"""A class with plain nbgrader notebooks, ordinary hidden tests in their cells, graded by nbgrader with our steps."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from headcheck.gradebook.config import load_config
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from nbgrader.coursedir import CourseDirectory

SECRET = "nobodyknows"
"""Stands in the hidden tests."""

GOOD = {"double": "def double(x):\n    return 2 * x", "mean": "def mean(values):\n    return sum(values) / len(values)"}


def cell(kind: str, grade_id: str, source: str, points: float | None = None) -> nbformat.NotebookNode:
    """Make a source cell of one of nbgrader's kinds; `why` answers are Markdown."""
    make = nbformat.v4.new_markdown_cell if kind == "manual" else nbformat.v4.new_code_cell
    node = make(source)
    if kind != "plain":
        node.metadata["nbgrader"] = {
            "grade": kind in ("tests", "manual"),
            "solution": kind in ("solution", "manual"),
            "locked": kind in ("tests", "locked"),
            "task": False,
            "grade_id": grade_id,
            "schema_version": 3,
            **({"points": points} if points is not None else {}),
        }
    return node


def source_notebook() -> nbformat.NotebookNode:
    """Two tasks, one with all or nothing and one with partial credit, and a written answer."""
    stub = "### BEGIN SOLUTION\n{answer}\n### END SOLUTION"
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return nbformat.v4.new_notebook(
        metadata={"kernelspec": kernel},
        cells=[
            cell("locked", "given", "K = 3"),
            cell("solution", "double", stub.format(answer=GOOD["double"])),
            cell(
                "tests",
                "double_tests",
                "assert double(1) == 2, 'double of one'\n### BEGIN HIDDEN TESTS\n"
                f"{SECRET} = double(21)\nassert {SECRET} == 42, 'double of more'\n### END HIDDEN TESTS",
                2,
            ),
            cell("solution", "mean", stub.format(answer=GOOD["mean"])),
            cell("tests", "mean_tests", "mean([4, 4])  # the value is the points", 4),
            cell("manual", "why", "Say why.", 3),
        ],
    )


@dataclass
class PlainClass:
    """The class folder, and what nbgrader's own interface makes of it."""

    root: Path
    assignment: str = "hw"
    log: str = ""

    def __post_init__(self) -> None:
        """Write source and configuration, and release the notebook."""
        path = self.root / "source" / self.assignment / f"{self.assignment}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(source_notebook(), path)
        (self.root / "nbgrader_config.py").write_text(
            "from headcheck.gradebook.config import configure\nc = get_config()\nconfigure(c)\nc.Execute.timeout = 2\n"
        )
        self.config = load_config(self.root)
        self.api = NbGraderAPI(CourseDirectory(config=self.config), config=self.config)
        self.done(self.api.generate_assignment(self.assignment))

    def done(self, result: dict[str, Any]) -> dict[str, Any]:
        """Check that a step of nbgrader's went well."""
        self.log += result.get("log") or ""
        assert result["success"], (result.get("error"), result.get("log"))
        return result

    def released(self) -> dict[str, Any]:
        """Return the notebook that students get, as plain data."""
        path = self.root / "release" / self.assignment / f"{self.assignment}.ipynb"
        return json.loads(path.read_text())

    def place(self, student: str) -> Path:
        """Return where a student's notebook lies."""
        folder = self.root / "submitted" / student / self.assignment
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{self.assignment}.ipynb"

    def hand_in(self, student: str, change: Any = None, **answers: str) -> Path:
        """Hand in the released notebook with answers; `change` may alter its list of cells."""
        content = copy.deepcopy(self.released())
        for one in content["cells"]:
            grade_id = one["metadata"].get("nbgrader", {}).get("grade_id")
            if grade_id in {**GOOD, **answers}:
                one["source"] = {**GOOD, **answers}[grade_id]
        if change is not None:
            change(content["cells"])
        return self.hand_in_bytes(student, json.dumps(content).encode())

    def hand_in_bytes(self, student: str, data: bytes) -> Path:
        """Hand in any bytes."""
        path = self.place(student)
        path.write_bytes(data)
        return path

    def autograde(self, student: str = "*") -> dict[str, Any]:
        """Grade as the formgrader's button does."""
        return self.api.autograde(self.assignment, student)

    def gradebook(self) -> Gradebook:
        """Open the gradebook."""
        return Gradebook(f"sqlite:///{self.root}/gradebook.db")

    def rows(self, student: str) -> dict[str, tuple[float | None, bool]]:
        """grade_id -> automatic score, and whether a person should look."""
        with self.gradebook() as gradebook:
            notebook = gradebook.find_submission_notebook(self.assignment, self.assignment, student)
            return {grade.name: (grade.auto_score, grade.needs_manual_grade) for grade in notebook.grades}

    def points(self, student: str) -> tuple[float | None, float | None]:
        """Points of the two test cells."""
        rows = self.rows(student)
        return rows["double_tests"][0], rows["mean_tests"][0]

    def remarks(self, student: str) -> str:
        """All remarks in the gradebook."""
        with self.gradebook() as gradebook:
            notebook = gradebook.find_submission_notebook(self.assignment, self.assignment, student)
            return "\n".join(comment.comment for comment in notebook.comments if comment.comment)

    def graded(self, student: str) -> nbformat.NotebookNode:
        """Return the graded notebook."""
        path = self.root / "autograded" / student / self.assignment / f"{self.assignment}.ipynb"
        return nbformat.read(path, 4)

    def said(self, student: str) -> str:
        """All that stands below the test cells of the graded notebook."""
        cells = [one for one in self.graded(student).cells if one.metadata.get("nbgrader", {}).get("grade")]
        return "\n".join(json.dumps(one.get("outputs", [])) for one in cells)

    def feedback(self, student: str) -> str:
        """Return the feedback page."""
        return (self.root / "feedback" / student / self.assignment / f"{self.assignment}.html").read_text()
