"""The example class, graded once by the real commands; the tests look at what came of it."""

import shutil
import sys

import pytest
from example_desk import (
    ASSIGNMENTS,
    CHECKED,
    CLASS,
    ROOT,
    STOCK_STUDENTS,
    Graded,
    contents,
    course_contents,
    finish,
    run,
    start,
)

sys.path.insert(0, str(ROOT / "examples"))


@pytest.fixture(scope="session")
def graded(tmp_path_factory):
    """Grade a copy of the class with `headcheck grade`, and every notebook with `headcheck check` beside it."""
    around = tmp_path_factory.mktemp("desk")
    folder, home = around / "class", around / "home"
    shutil.copytree(CLASS, folder)
    (around / "gradebook.db").write_text("another course's")
    (around / "notes.txt").write_text("private")
    before, course_before = contents(around), course_contents()
    notebooks = sorted(str(path) for name in CHECKED for path in (CLASS / "submitted").glob(f"*/{name}/*.ipynb"))
    checking = start(["headcheck", "check", "--json", *notebooks], ROOT, home)
    grading = start(["headcheck", "grade", *ASSIGNMENTS, "--course", str(folder)], around, home)
    graded, checked = finish(grading), finish(checking)
    return Graded(folder, around, before, course_before, course_contents(), graded, checked)


@pytest.fixture(scope="session")
def stock(tmp_path_factory):
    """Grade a part of the class with nbgrader's own commands."""
    around = tmp_path_factory.mktemp("stock")
    folder, home = around / "class", around / "home"
    shutil.copytree(CLASS, folder, ignore=shutil.ignore_patterns("submitted"))
    for student in STOCK_STUDENTS:
        shutil.copytree(CLASS / "submitted" / student, folder / "submitted" / student)
    commands = ("generate_assignment", "autograde", "generate_feedback")
    return folder, {name: run(["nbgrader", name, "bug_hunt"], folder, home) for name in commands}
