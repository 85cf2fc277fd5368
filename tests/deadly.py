"""A tiny course whose hidden tests end the grader itself for some submissions, and helpers to grade a class of it."""

import io
import json

from headcheck.course.config import load_course
from headcheck.report.class_report import Wanted, grade_class
from rich.console import Console
from small_course import GOOD, HIDDEN, Tiny

DEADLY = f'''{HIDDEN}

import os
import pathlib
import signal
from headcheck.jail.errors import NotDefined

HERE = pathlib.Path(__file__).parents[2]


@task("total", points=1)
def test_the_grader_survives(student, draw):
    """It does not when the notebook says so: a stand-in for a fault of the grader's own."""
    try:
        wish = student.value("wish")
    except NotDefined:
        return
    with open(HERE / "attempts", "a") as file:
        file.write(wish + "\\n")
    if wish == "die" or (wish == "die once" and (HERE / "attempts").read_text().count(wish) == 1):
        os.kill(os.getpid(), signal.SIGKILL)
    if wish == "fail":
        raise RecursionError("a fault that pytest catches")
'''
"""The points of `total` are 3 here: see `deadly_text`."""

HALF = {**GOOD, "double": "def double(x):\n    return x * x\n"}


def deadly_text(text: str) -> str:
    return text.replace("tests total points=2", "tests total points=3")


def wishing(wish: str) -> dict[str, str]:
    return {**GOOD, "total": f"{GOOD['total']}\nwish = '{wish}'\n"}


def hand_in(tiny: Tiny, student: str, **answers: str):
    return tiny.notebook(tiny.root / "submitted" / student / tiny.name / f"{tiny.name}.ipynb", **answers)


def grade(tiny: Tiny, **wanted):
    """Grade the class that lies in the course's own folder; return exit status and what was printed."""
    out, err = (Console(file=io.StringIO(), width=300) for _ in range(2))
    status = grade_class(Wanted(tiny.root, [tiny.name], **{"workers": 1, **wanted}), out, err)
    return status, out.file.getvalue() + err.file.getvalue()


def verdicts(tiny: Tiny) -> dict[str, float]:
    """Return what the store holds: student -> points."""
    load_course(tiny.root)
    files = (tiny.root / ".headcheck" / "verdicts" / tiny.name).glob("*/verdict.json")
    return {path.parent.name: json.loads(path.read_text())["verdict"]["score"] for path in files}
