"""The map of the course names every task with its points, and only mistakes that the bank knows."""

import json
import re
from pathlib import Path

import pytest
from headcheck.course.markers import read_text_notebook

from assignments.quiz.bank import LESSON
from solutions.mistakes import BANK

ROOT = Path(__file__).parents[2]
MAP = (ROOT / "docs/course.md").read_text(encoding="utf-8")
ASSIGNMENTS = ("bug_hunt", "from_scratch", "two_relations", "torch_module", "head_roles", "head_count")


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_every_task_stands_in_the_map_with_its_points(name):
    cells = read_text_notebook(ROOT / f"assignments/{name}/{name}.py")
    points = {cell.name: cell.points for cell in cells if cell.kind == "tests"}
    section = MAP.split(f"## {name}\n")[1].split("\n## ")[0]
    assert dict(re.findall(r"^\| `(\w+)` \| (\d+) ", section, flags=re.MULTILINE)) == {
        task: f"{value:g}" for task, value in points.items()
    }
    assert f"{sum(points.values()):g} points" in section


def test_the_map_names_only_known_mistakes():
    tables = "\n".join(line for line in MAP.splitlines() if re.match(r"\| `(?!q\d\d)\w+` \| \d", line))
    named = set(re.findall(r"`([a-z0-9]+(?:-[a-z0-9]+)+)`", tables))
    assert len(named) > 100
    assert named <= BANK.keys()


def test_every_question_stands_in_the_map_with_its_points_and_the_wrong_answers_that_it_names():
    section = MAP.split("## quiz\n")[1].split("\n## ")[0]
    rows = dict(re.findall(r"^\| `(q\d\d)` \| (.+)$", section, flags=re.MULTILINE))
    cells = read_text_notebook(ROOT / "assignments/quiz/quiz.py", {"question": lambda cell, place: [cell]})
    points = {cell.name: f"{cell.points:g}" for cell in cells if cell.kind == "question"}
    assert {name: row.split(" | ")[0] for name, row in rows.items()} == points
    for name, question in LESSON.items():
        named = set(re.findall(r"`([a-z0-9]+(?:-[a-z0-9]+)+)`", rows[name]))
        assert named == {wrong.id for wrong in question.wrong}, name


def test_every_part_of_the_lessons_leads_to_a_notebook():
    table = MAP.split("## From the lessons to the notebooks")[1].split("\n\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith(("| Uzbek", "| Turkish"))]
    assert len(rows) >= 35
    tasks = set(re.findall(r"^\| `(\w+)` \| \d", MAP, flags=re.MULTILINE))
    named = {name for row in rows for name in re.findall(r"`([a-z]\w+)`", row)}
    assert tasks - named <= {f"q{number:02}" for number in range(1, 13)} | {"q11_why", "q12_why"}


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_code_cells_fit_into_a_window_without_scrolling(name):
    cells = json.loads((ROOT / f"release/{name}/{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    lines = [line for cell in cells if cell["cell_type"] == "code" for line in "".join(cell["source"]).splitlines()]
    assert [line for line in lines if len(line) > 96] == []
