"""`headcheck grade` and nbgrader's own commands leave the same behind."""

import json
import shutil

import pytest
from deadly import grade, hand_in
from headcheck.course.converter import run_converter
from headcheck.course.generating import enter_assignment
from headcheck.gradebook.config import load_config
from headcheck.gradebook.mend import mend_nbgrader
from nbgrader.api import Gradebook
from nbgrader.converters import Autograde, GenerateFeedback
from nbgrader.coursedir import CourseDirectory
from small_course import BANK, GOOD, LIMITS, Tiny, lay_out, own_modules

pytestmark = pytest.mark.filterwarnings("ignore:Object of type")  # nbgrader's own use of its database

WORK = {
    "ann": GOOD,
    "bob": {**GOOD, "double": "print('hello')\ndef double(x):\n    return x * x\n", "why": "Because."},
    "eve": {},
    "kim": {**GOOD, "why": "Late."},
    "liz": GOOD,
}
LATE = ("kim",)
DELETED = {"liz": ("why", "total")}
"""Student -> cells that are missing in what was handed in."""

ZERO_WHEN_LATE = "c.LateSubmissionPlugin.penalty_method = 'zero'\n"


def enter_with_deadline(tiny, config):
    """Do what an instructor does beforehand: release the assignment with a deadline."""
    enter_assignment(config, tiny.course, tiny.name)
    with Gradebook(CourseDirectory(config=config).db_url) as gradebook:
        gradebook.update_or_create_assignment(tiny.name, duedate="2026-02-03 16:00:00 UTC")


def delete_cells(path, names):
    notebook = json.loads(path.read_text())
    kept = [cell for cell in notebook["cells"] if cell["metadata"].get("nbgrader", {}).get("grade_id") not in names]
    assert len(kept) == len(notebook["cells"]) - len(names)
    path.write_text(json.dumps({**notebook, "cells": kept}))


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """What `headcheck grade` left, in a copy, and what nbgrader's steps with headcheck's configuration then made."""
    with own_modules():
        tiny = lay_out(tmp_path_factory.mktemp("theirs") / "course", limits=LIMITS, bank=BANK)
        tiny.build()
        (tiny.root / "source" / tiny.name / "data.csv").write_text("1,2\n")
        for student, answers in WORK.items():
            path = hand_in(tiny, student, **answers)
            (path.parent / "timestamp.txt").write_text(f"2026-02-03 {17 if student in LATE else 15}:00:00 UTC")
            delete_cells(path, DELETED.get(student, ()))
        with (tiny.root / "nbgrader_config.py").open("a") as file:
            file.write(ZERO_WHEN_LATE)
        mend_nbgrader()
        enter_with_deadline(tiny, load_config(tiny.root))
        assert grade(tiny)[0] == 0
        ours = Tiny(tmp_path_factory.mktemp("ours") / "course", tiny.name)
        shutil.copytree(tiny.root, ours.root)
        (tiny.root / "gradebook.db").unlink()
        config = load_config(tiny.root)
        config.CourseDirectory.assignment_id = tiny.name
        enter_with_deadline(tiny, config)
        for converter in (Autograde, GenerateFeedback):
            config[converter.__name__].force = True
            run_converter(converter(coursedir=CourseDirectory(config=config), config=config), converter.__name__)
    return ours, tiny


@pytest.fixture
def ours(both):
    return both[0]


@pytest.fixture
def theirs(both):
    return both[1]


@pytest.mark.parametrize("step", ["autograded", "feedback"])
def test_the_same_files_with_the_same_permissions_lie_there(ours, theirs, step):
    def files(tiny):
        found = (path for path in (tiny.root / step).rglob("*") if path.is_file())
        return {str(path.relative_to(tiny.root)): oct(path.stat().st_mode) for path in found}

    assert files(ours) == files(theirs)
    assert len(files(ours)) == 3 * len(WORK)


@pytest.mark.parametrize("student", WORK)
def test_the_stored_notebooks_are_the_same(ours, theirs, student):
    def notebook(tiny):
        return json.loads((tiny.root / "autograded" / student / tiny.name / f"{tiny.name}.ipynb").read_text())

    mine, other = notebook(ours), notebook(theirs)
    for cell, same in zip(mine["cells"], other["cells"], strict=True):
        assert cell == same
    assert mine["metadata"] == other["metadata"]


@pytest.mark.parametrize("student", WORK)
def test_the_pages_are_the_same(ours, theirs, student):
    def page(tiny):
        return (tiny.root / "feedback" / student / tiny.name / f"{tiny.name}.html").read_text()

    assert page(ours) == page(theirs)


def test_the_gradebooks_say_the_same(ours, theirs):
    def rows(tiny):
        with Gradebook(f"sqlite:///{tiny.root}/gradebook.db") as gradebook:
            submissions = gradebook.find_assignment(tiny.name).submissions
            return {
                (s.student.id, grade.name): (grade.auto_score, grade.needs_manual_grade, str(s.timestamp))
                for s in submissions
                for grade in s.notebooks[0].grades
            } | {
                (s.student.id, comment.name, "remark"): comment.auto_comment
                for s in submissions
                for comment in s.notebooks[0].comments
            }

    assert rows(ours) == rows(theirs)


def test_both_take_the_points_of_whoever_is_late(ours, theirs):
    for tiny in (ours, theirs):
        with Gradebook(f"sqlite:///{tiny.root}/gradebook.db") as gradebook:
            found = {
                s.student.id: (s.score, s.late_submission_penalty) for s in gradebook.assignment_submissions(tiny.name)
            }
        assert found["kim"] == (5, 5)
        assert found["ann"] == (5, 0)
