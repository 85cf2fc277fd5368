"""`nbgrader autograde` on an assignment with hidden graders of ours: the faults that cells alone cannot be cured of."""

import copy
import json

import pytest
from headcheck.gradebook.config import load_config
from headcheck.gradebook.dropin.desk import Desk
from headcheck.jail.errors import JailUnavailable
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from small_course import GOOD, LIMITS, lay_out, own_modules

pytestmark = pytest.mark.filterwarnings("ignore:Object of type")

HIDDEN_TEXT = "BEGIN HIDDEN"
EQUAL = """
class Same(float):
    def __eq__(self, other):
        return True
    __ne__ = __lt__ = __gt__ = __le__ = __ge__ = __eq__
def double(x):
    return Same(0)
def total(x):
    return Same(0)
"""
TRANSFORM = "get_ipython().input_transformers_cleanup.insert(0, lambda lines: ['pass\\n'])\n"
SPY = """
def spy(info):
    print("SPIED", info.raw_cell)
get_ipython().events.register("pre_run_cell", spy)
import glob
print("FOUND", [name for name in glob.glob("{root}/**/*", recursive=True)])
"""


class Class:
    """A class folder with a tiny course, graded through nbgrader's own interface."""

    def __init__(self, root, jail):
        self.tiny = lay_out(root, limits=LIMITS)
        self.tiny.build()
        self.root = root
        self.config = load_config(root)
        self.api = NbGraderAPI(CourseDirectory(config=self.config), config=self.config)
        self.run(self.api.generate_assignment)

    def run(self, step, *args):
        result = step(self.tiny.name, *args)
        assert result["success"], (result.get("error"), result.get("log"))

    def hand_in(self, student, change=None, **answers):
        path = self.root / "submitted" / student / self.tiny.name / f"{self.tiny.name}.ipynb"
        self.tiny.notebook(path, **answers)
        if change is not None:
            content = json.loads(path.read_text())
            change(content["cells"])
            path.write_text(json.dumps(content))
        return path

    def points(self, student):
        with Gradebook(f"sqlite:///{self.root}/gradebook.db") as gradebook:
            grades = gradebook.find_submission_notebook(self.tiny.name, self.tiny.name, student).grades
            found = {grade.name: grade.auto_score for grade in grades}
        return found["double_tests"], found["total_tests"]

    def feedback(self, student):
        return (self.root / "feedback" / student / self.tiny.name / f"{self.tiny.name}.html").read_text()


def skip_tests(cells):
    for cell in cells:
        cell["metadata"]["tags"] = ["skip-execution"]


def twice(cells):
    cells.extend(copy.deepcopy([cell for cell in cells if cell["metadata"].get("nbgrader")]))


@pytest.fixture(scope="module")
def graded(tmp_path_factory, jail):
    with pytest.MonkeyPatch.context() as patch, own_modules():
        patch.setattr(Desk, "jail", jail)
        made = Class(tmp_path_factory.mktemp("dropin") / "course", jail)
        made.hand_in("good", **GOOD)
        made.hand_in("half", double=GOOD["double"], total="total = None")
        made.hand_in("equal", double=EQUAL)
        made.hand_in("transforms", double=TRANSFORM)
        made.hand_in("spies", **{**GOOD, "double": SPY.format(root=made.root) + GOOD["double"]})
        made.hand_in("skips", change=skip_tests, double="def double(x):\n    return 0 * x")
        made.hand_in("twice", change=twice, **GOOD)
        made.hand_in("loops", double="def double(x):\n    while True:\n        pass", total=GOOD["total"])
        made.hand_in("broken").write_bytes(b"{")
        made.run(made.api.autograde, "*")
        made.run(made.api.generate_feedback)
        yield made


@pytest.mark.parametrize(
    ("student", "points"),
    [
        ("good", (3, 2)),
        ("half", (3, 0)),
        ("equal", (0, 0)),
        ("transforms", (0, 0)),
        ("spies", (3, 2)),
        ("skips", (0, 0)),
        ("twice", (3, 2)),
        ("loops", (0, 2)),
        ("broken", (0, 0)),
    ],
)
def test_points_are_those_that_values_earn(graded, student, points):
    assert graded.points(student) == points


def test_there_is_nothing_to_spy_on(graded):
    path = graded.root / "autograded" / "spies" / graded.tiny.name / f"{graded.tiny.name}.ipynb"
    printed = json.dumps([cell.get("outputs", []) for cell in json.loads(path.read_text())["cells"]])
    assert "SPIED" in printed
    assert HIDDEN_TEXT not in printed
    assert "compare(" not in printed
    assert "FOUND []" in printed


def test_everybody_has_feedback_without_hidden_tests(graded):
    for student in ("good", "half", "equal", "transforms", "spies", "skips", "twice", "loops", "broken"):
        page = graded.feedback(student)
        assert HIDDEN_TEXT not in page
        assert "test_a_vector_is_doubled" not in page


def test_feedback_names_the_cause(graded):
    assert "too long" in graded.feedback("loops") or "longer than" in graded.feedback("loops")
    assert "could not be read" in graded.feedback("broken")
    assert "stood there more than once" in graded.feedback("twice")


def test_the_hidden_tests_are_collected_once_and_again_when_they_changed(graded):
    from headcheck.gradebook.dropin.desk import desk_for

    desk = desk_for(graded.root)
    path = graded.hand_in("good", **GOOD)
    desk.verdict(path, graded.tiny.name)
    first = desk._open[1]
    desk.verdict(path, graded.tiny.name)
    assert desk._open[1] is first
    hidden = graded.tiny.course.hidden_file(graded.tiny.name)
    hidden.write_text(hidden.read_text() + "\n# changed\n")
    desk.verdict(path, graded.tiny.name)
    assert desk._open[1] is not first


def test_nbgraders_timeout_binds_for_our_assignments_too(graded):
    slow = "import time\ndef double(x):\n    time.sleep(1.2)\n    return 2 * x"
    graded.hand_in("slow", double=slow, total=GOOD["total"])
    graded.run(graded.api.autograde, "slow")
    assert graded.points("slow") == (0, 2)
    graded.config.Execute.timeout = 10
    try:
        graded.run(graded.api.autograde, "slow")
    finally:
        del graded.config.Execute["timeout"]
    assert graded.points("slow") == (3, 2)


def test_with_an_incomplete_assignment_nothing_is_graded_and_nothing_is_lost(graded):
    before = graded.points("good")
    hidden = graded.tiny.course.hidden_file(graded.tiny.name)
    text = hidden.read_text()
    hidden.write_text(text.replace("points=2", "points=1"))
    result = graded.api.autograde(graded.tiny.name, "*")
    hidden.write_text(text)
    assert not result["success"]
    assert result["log"].count("the hidden tests of") == 1
    assert graded.points("good") == before


def test_without_a_jail_nothing_is_graded_and_nothing_is_lost(graded, monkeypatch):
    def no_jail(self):
        raise JailUnavailable("no jail on this machine")

    before = graded.points("good")
    monkeypatch.setattr(Desk, "jail", property(no_jail))
    result = graded.api.autograde(graded.tiny.name, "*")
    assert not result["success"]
    assert result["log"].count("no jail on this machine") == 1
    assert graded.points("good") == before
    assert (graded.root / "autograded" / "good").is_dir()
