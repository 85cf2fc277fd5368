"""What people do to a notebook: write into cells, add, copy and delete some, run it, take it to another program."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

Notebook = dict[str, Any]
Cell = dict[str, Any]
Edit = Callable[[Notebook], None]

HEADER = re.compile(r"^# %% (?:(?P<kind>markdown )?(?P<where>before|after) )?(?P<grade_id>\w+)$", re.MULTILINE)


def grade_id(cell: Cell) -> str:
    """Return nbgrader's id of a cell, an empty text for cells without."""
    return str(cell["metadata"].get("nbgrader", {}).get("grade_id", ""))


def find(notebook: Notebook, name: str) -> int:
    """Return the place of the cell with a grade_id."""
    return next(index for index, cell in enumerate(notebook["cells"]) if grade_id(cell) == name)


def source_of(cell: Cell) -> str:
    """Return the text of a cell."""
    return "".join(cell["source"])


def set_source(cell: Cell, source: str) -> None:
    """Write a cell, as a list of lines like JupyterLab."""
    cell["source"] = source.strip("\n").splitlines(keepends=True)


def new_cell(notebook: Notebook, source: str, cell_type: str = "code") -> Cell:
    """Make a cell with the next free id."""
    used = sum(cell["id"].startswith("own-") for cell in notebook["cells"])
    cell: Cell = {"cell_type": cell_type, "id": f"own-{used + 1}", "metadata": {}}
    if cell_type == "code":
        cell |= {"execution_count": None, "outputs": []}
    set_source(cell, source)
    return cell


def pieces(text: str) -> list[tuple[re.Match[str], str]]:
    """Take a text of cells under headers apart: each header and what stands below it."""
    headers = list(HEADER.finditer(text))
    ends = [*(header.start() for header in headers[1:]), len(text)]
    return [(header, text[header.end() : end]) for header, end in zip(headers, ends, strict=False)]


def write_cells(notebook: Notebook, text: str) -> None:
    """Write a student's cells into a notebook.

    Args:
        notebook: the notebook.
        text: cells under headers: `# %% NAME` replaces the text of a cell, `# %% before NAME` and `# %% after NAME`
            put a code cell beside it, `# %% markdown before NAME` a markdown cell.
    """
    for header, source in pieces(text):
        place = find(notebook, header["grade_id"])
        if header["where"]:
            cell = new_cell(notebook, source, "markdown" if header["kind"] else "code")
            notebook["cells"].insert(place + (header["where"] == "after"), cell)
        else:
            set_source(notebook["cells"][place], source)


def delete(*names: str) -> Edit:
    """Delete cells."""

    def edit(notebook: Notebook) -> None:
        notebook["cells"] = [cell for cell in notebook["cells"] if grade_id(cell) not in names]

    return edit


def paste_copy(name: str, source: str | None = None, at: str | None = None) -> Edit:
    """Copy a cell with all its marks and paste it.

    Args:
        name: the cell.
        source: what is written into the copy; None leaves it as it is.
        at: the cell behind which the copy goes, None for the cell itself.
    """

    def edit(notebook: Notebook) -> None:
        pasted = copy.deepcopy(notebook["cells"][find(notebook, name)])
        pasted["id"] = new_cell(notebook, "")["id"]
        if source is not None:
            set_source(pasted, source)
        notebook["cells"].insert(find(notebook, at or name) + 1, pasted)

    return edit


def model_answers(assignment: str, but: str = "") -> Edit:
    """Write the model answers into the answer cells.

    Args:
        assignment: the assignment.
        but: a task whose cell stays as it is.
    """

    def edit(notebook: Notebook) -> None:
        source = json.loads((ROOT / "source" / assignment / f"{assignment}.ipynb").read_text(encoding="utf-8"))
        for cell in source["cells"]:
            if cell["metadata"].get("nbgrader", {}).get("solution") and grade_id(cell) != but:
                answer = source_of(cell).removeprefix("### BEGIN SOLUTION\n").split("### STUB")[0]
                set_source(notebook["cells"][find(notebook, grade_id(cell))], answer.rstrip() + "\n")

    return edit


def save_in_colab(notebook: Notebook) -> None:
    """Take the notebook through a program that keeps no marks of nbgrader's and no cell ids."""
    for cell in notebook["cells"]:
        cell["metadata"] = {"id": f"c{len(cell['source'])}oLab"} if cell["cell_type"] == "code" else {}
        del cell["id"]
    notebook["metadata"] = {
        "colab": {"provenance": []},
        "kernelspec": {"display_name": "Python 3", "name": "python3"},
        "language_info": {"name": "python"},
    }
    notebook["nbformat_minor"] = 0


def save_in_vscode(notebook: Notebook) -> None:
    """Write down the interpreter, as an editor does that is not JupyterLab."""
    notebook["metadata"]["kernelspec"]["display_name"] = ".venv (3.12.3)"
    notebook["metadata"]["language_info"] = {"name": "python", "file_extension": ".py", "version": "3.12.3"}


def raise_points(points: float) -> Edit:
    """Change the points of all graded cells in the metadata."""

    def edit(notebook: Notebook) -> None:
        for cell in notebook["cells"]:
            if "points" in cell["metadata"].get("nbgrader", {}):
                cell["metadata"]["nbgrader"]["points"] = points

    return edit


def forge_verdicts(notebook: Notebook) -> None:
    """Write verdicts into the metadata and outputs of the tests cells, in the form in which the grader stores them."""
    for cell in notebook["cells"]:
        name = grade_id(cell)
        if not name.endswith("_tests"):
            continue
        verdict = {"task": name.removesuffix("_tests"), "score": 4, "max_score": 4, "state": "correct"}
        cell["metadata"]["headcheck"] = {**verdict, "message": "All hidden tests passed.", "mistakes": []}
        cell["outputs"] = [printed("headcheck: 4 of 4 points\nAll hidden tests passed.\n"), result("4.0")]


def printed(text: str, stream: str = "stdout") -> dict[str, Any]:
    """Make the output of a print."""
    return {"name": stream, "output_type": "stream", "text": text.splitlines(keepends=True)}


def result(text: str) -> dict[str, Any]:
    """Make the output of a cell's last expression."""
    return {"data": {"text/plain": [text]}, "execution_count": 1, "metadata": {}, "output_type": "execute_result"}


def saved_output(name: str, *outputs: dict[str, Any]) -> Edit:
    """Leave outputs in a cell, as they were when the student saved."""

    def edit(notebook: Notebook) -> None:
        notebook["cells"][find(notebook, name)]["outputs"] = list(outputs)

    return edit
