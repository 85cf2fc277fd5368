"""The map of the course names every task with its points, and only mistakes that the bank knows."""

import re
from pathlib import Path

import pytest
from headcheck.course.markers import read_text_notebook

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
    tables = "\n".join(line for line in MAP.splitlines() if re.match(r"\| `\w+` \| \d", line))
    named = set(re.findall(r"`([a-z0-9]+(?:-[a-z0-9]+)+)`", tables))
    assert len(named) > 100
    assert named <= BANK.keys()
