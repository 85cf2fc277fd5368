"""Every notebook in JupyterLab: as released its checks fail politely, with the model answers they pass."""

import json
import re
import shutil
from pathlib import Path

import pytest
from headcheck.course.stubs import BEGIN, END, STUB
from lab import Notebook, hide_packages, running_lab

ROOT = Path(__file__).parents[2]
ASSIGNMENTS = ("quiz", "bug_hunt", "from_scratch", "two_relations", "torch_module", "head_roles", "head_count")
RUN_S = 900
"""The two experiments train for a minute or two; much longer on a busy machine."""

POLITE = re.compile(r"(AssertionError|NotImplementedError): \w+: .{15,}")
CRASH = re.compile(r"RuntimeError: shape .* is invalid for input of size \d+")
"""What the last bug of the hunt is: a message about something else."""

LEFT_OVER = re.compile(r"\$[^$\s]|\\(frac|sqrt|text)")


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """JupyterLab in a copy of the released notebooks, with a kernel that knows torch, numpy and matplotlib."""
    around = tmp_path_factory.mktemp("lab")
    shutil.copytree(ROOT / "release", around / "work")
    with running_lab(around / "work", around, path_first=hide_packages(around / "absent")) as address:
        yield address


def grade_ids(name):
    """The grade_id of every cell, an empty text for cells without."""
    cells = json.loads((ROOT / f"release/{name}/{name}.ipynb").read_text())["cells"]
    return [cell["metadata"].get("nbgrader", {}).get("grade_id", "") for cell in cells]


def answers(name):
    """Task -> model answer, without the marks of the solution region."""
    cells = json.loads((ROOT / f"source/{name}/{name}.ipynb").read_text())["cells"]
    found = {}
    for cell in cells:
        marks = cell["metadata"].get("nbgrader", {})
        if marks.get("solution") and cell["cell_type"] == "code":
            answer = "".join(cell["source"]).split(STUB)[0]
            found[marks["grade_id"]] = answer.replace(f"{BEGIN}\n", "").replace(END, "").rstrip()
    return found


def checks(notebook, name):
    """Task -> the cell with its visible check."""
    return {
        grade_id.removesuffix("_tests"): cell
        for grade_id, cell in zip(grade_ids(name), notebook.cells(), strict=True)
        if grade_id.endswith("_tests")
    }


def legible(notebook):
    """Demand rendered formulas, pictures that are there, and nothing to scroll sideways."""
    assert notebook.too_wide() == []
    prose = notebook.page.locator(".jp-RenderedMarkdown").all_inner_texts()
    assert [text for text in prose if LEFT_OVER.search(text)] == []
    sizes = notebook.page.eval_on_selector_all(
        ".jp-OutputArea-output img", "images => images.map(image => [image.naturalWidth, image.naturalHeight])"
    )
    assert all(width >= 250 and height >= 150 for width, height in sizes)
    return len(sizes)


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_checks_fail_politely_as_released_and_pass_with_the_model_answers(lab, page, name):
    notebook = Notebook(page, lab, f"{name}/{name}.ipynb")
    notebook.run_all(RUN_S)
    for task, cell in checks(notebook, name).items():
        if name == "quiz":
            assert cell.printed == f"{task}: not answered yet\n"
        else:
            wanted = CRASH if task == "indivisible_heads" else POLITE
            assert [line for line in cell.errors if wanted.fullmatch(line)], (task, cell.errors)
    legible(notebook)

    ids = grade_ids(name)
    for task, answer in answers(name).items():
        notebook.write(ids.index(task), answer)
    notebook.run_all(RUN_S)
    assert [cell.errors for cell in notebook.cells() if cell.errors] == []
    for task, cell in checks(notebook, name).items():
        assert re.search(r"^\w+: the (tiny example|form) is right", cell.printed, re.MULTILINE), (task, cell.printed)
    pictures = legible(notebook)
    assert pictures or name == "quiz"
    assert page.locator("mjx-container").count() > 0 or name in ("bug_hunt", "torch_module", "head_roles")
