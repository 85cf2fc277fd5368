"""`headcheck grade` and nbgrader's own commands leave the same behind."""

import json
import shutil

import pytest
from deadly import grade, hand_in
from headcheck.course.build import enter_assignment
from headcheck.course.converter import run_converter
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
}


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """What `headcheck grade` left, in a copy, and what nbgrader's steps with headcheck's configuration then made."""
    with own_modules():
        tiny = lay_out(tmp_path_factory.mktemp("theirs") / "course", limits=LIMITS, bank=BANK)
        tiny.build()
        (tiny.root / "source" / tiny.name / "data.csv").write_text("1,2\n")
        for student, answers in WORK.items():
            path = hand_in(tiny, student, **answers)
            (path.parent / "timestamp.txt").write_text("2026-02-03 15:00:00 UTC")
        assert grade(tiny)[0] == 0
        ours = Tiny(tmp_path_factory.mktemp("ours") / "course", tiny.name)
        shutil.copytree(tiny.root, ours.root)
        (tiny.root / "gradebook.db").unlink()
        mend_nbgrader()
        config = load_config(tiny.root)
        config.CourseDirectory.assignment_id = tiny.name
        enter_assignment(config, tiny.course, tiny.name)
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
