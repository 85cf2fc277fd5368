"""What stock nbgrader gets wrong with bad submissions, each in a class of plain nbgrader notebooks graded by nbgrader.

One class is graded once, through the same call as the formgrader's button; the tests look at what came of it.
"""

import copy
import json
import os

import pytest
from plain_class import GOOD, SECRET, PlainClass

pytestmark = pytest.mark.filterwarnings("ignore:Object of type")  # nbgrader's own use of its database

WRONG = "def double(x):\n    return 0"
BOM = b"\xef\xbb\xbf"


def returning(value, imports=""):
    """An answer whose value is the points of the test cell."""
    return f"{imports}\ndef mean(values):\n    return {value}"


def by_id(cells, grade_id):
    return next(one for one in cells if one["metadata"].get("nbgrader", {}).get("grade_id") == grade_id)


def doubled(cells):
    for grade_id in ("double", "double_tests", "why"):
        cells.append(copy.deepcopy(by_id(cells, grade_id)))


def without_tests(cells):
    for grade_id in ("double_tests", "mean", "mean_tests"):
        cells.remove(by_id(cells, grade_id))


def stripped(cells):
    for one in cells:
        one["metadata"] = {}


def flags(**changed):
    return lambda cells: by_id(cells, "double_tests")["metadata"]["nbgrader"].update(changed)


def as_markdown(cells):
    one = by_id(cells, "double_tests")
    one["cell_type"] = "markdown"
    del one["outputs"], one["execution_count"]


def skipped(cells):
    by_id(cells, "double_tests")["metadata"]["tags"] = ["skip-execution"]


def first(code):
    """A cell of the student's own in front."""
    new = {"cell_type": "code", "source": code, "metadata": {}, "outputs": [], "execution_count": None, "id": "own"}
    return lambda cells: cells.insert(0, new)


def edited(cells):
    by_id(cells, "double_tests")["source"] = "pass"


NO_TRANSFORMED = "get_ipython().input_transformers_cleanup.insert(0, lambda lines: ['pass\\n'])"
HOOK = """
def spy(info):
    with open("spied.txt", "a") as file:
        file.write(info.raw_cell)
get_ipython().events.register("pre_run_cell", spy)
"""


def spying(cells):
    """Write down every cell that runs, and print them all at the end."""
    first(HOOK)(cells)
    last = {"cell_type": "code", "source": "print(In)\nprint(open('spied.txt').read())\nIn", "metadata": {}}
    cells.append({**last, "outputs": [], "execution_count": None, "id": "last"})


READ = """
import glob, os
for place in ("../../../source/hw/hw.ipynb", "{root}/source/hw/hw.ipynb", "{root}/submitted/good/hw/hw.ipynb"):
    try:
        print("LEAKED", open(place).read())
    except OSError as error:
        print(type(error).__name__)
print(os.path.exists("{root}"), glob.glob("{root}/*"))
"""
WRITE = """
import sqlite3
for place in ("../../../gradebook.db", "{root}/gradebook.db"):
    try:
        base = sqlite3.connect(place)
        base.execute("UPDATE grade SET manual_score = 999")
        base.commit()
    except sqlite3.Error as error:
        print(error)
"""
WARNS = """
import sys, warnings
def double(x):
    warnings.warn("old")
    print("!", file=sys.stderr)
    return 2 * x
"""
HOG = "def double(x):\n    return len(bytearray(1 << 34))"


def fill(made):
    """Hand in one notebook per fault."""
    made.hand_in("good")
    made.hand_in("wrong", double=WRONG)
    made.hand_in("duplicate", change=doubled)
    made.hand_in("dies_in_test", double="import os\ndef double(x):\n    os._exit(1)")
    made.hand_in("dies_in_cell", change=first("import os; os.kill(os.getpid(), 9)"))
    made.hand_in("quits", change=first("exit()"))
    made.hand_in("loops", double="def double(x):\n    while True:\n        pass")
    for name, value in {
        "numpy": "np.float64(0.5)",
        "numpy_zero": "np.float64(0)",
        "torch_zero": "torch.tensor(0.0)",
    }.items():
        made.hand_in(name, mean=returning(value, "import numpy as np\nimport torch"))
    for name, value in {
        "nan": "float('nan')",
        "negative": "-1.0",
        "large": "5",
        "false": "False",
        "text": "'fine'",
    }.items():
        made.hand_in(name, mean=returning(value))
    made.hand_in("many", mean=returning("torch.zeros(2)", "import torch"))
    made.hand_in("warns", double=WARNS)
    made.hand_in("deleted", change=without_tests)
    made.hand_in("stripped", change=stripped)
    made.hand_in("not_graded", change=flags(grade=False))
    made.hand_in("solution", change=flags(solution=True))
    made.hand_in("rich", change=flags(points=99))
    made.hand_in("markdown", change=as_markdown)
    made.hand_in("edited", change=edited, double=WRONG)
    made.hand_in("skips", change=skipped, double=WRONG)
    made.hand_in("transforms", change=first(NO_TRANSFORMED), double=WRONG)
    made.hand_in("spies", change=spying)
    made.hand_in("reads", change=first(READ.format(root=made.root)))
    made.hand_in("writes", change=first(WRITE.format(root=made.root)))
    made.hand_in("hogs", double=HOG)
    made.hand_in(
        "draws", change=first("%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()")
    )
    text = made.hand_in("bom").read_bytes()
    made.hand_in_bytes("bom", BOM + text)
    made.hand_in_bytes("latin", text.replace(b"Say why.", "Für große Köpfe".encode("latin-1")))
    made.hand_in_bytes("utf16", text.decode().encode("utf-16"))
    made.hand_in_bytes("truncated", text[: len(text) // 2])
    made.hand_in_bytes("empty", b"")
    made.hand_in_bytes("deep", b'{"cells":' + b"[" * 100_000)
    made.hand_in_bytes("cells", json.dumps({"cells": [1, {"cell_type": 5, "source": {}, "metadata": []}]}).encode())
    os.symlink(made.root / "gradebook.db", made.place("linked"))


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    made = PlainClass(tmp_path_factory.mktemp("faults"))
    fill(made)
    made.done(made.autograde())
    made.done(made.api.generate_feedback("hw"))
    return made


def test_a_good_notebook_gets_all_points_and_a_wrong_one_what_it_earned(graded):
    assert graded.rows("good") == {"double_tests": (2, False), "mean_tests": (4, False), "why": (0, False)}
    assert graded.points("wrong") == (0, 4)
    assert "double of one" in graded.said("wrong")


def test_a_copied_cell_stops_nobody_and_is_named(graded):
    assert graded.points("duplicate") == (2, 4)
    assert "cell double_tests stood there more than once" in graded.remarks("duplicate")
    assert "cell double stood there more than once" in graded.feedback("duplicate")


@pytest.mark.parametrize(
    ("student", "points"), [("dies_in_test", (0, 4)), ("dies_in_cell", (2, 4)), ("quits", (2, 4)), ("hogs", (0, 4))]
)
def test_a_dead_process_costs_the_cell_that_killed_it_and_no_other(graded, student, points):
    assert graded.points(student) == points


def test_the_reason_of_a_death_is_said(graded):
    assert "The notebook's process ended during this test: exited." in graded.feedback("dies_in_test").replace(
        "&#39;", "'"
    )
    assert "memory limit" in graded.said("hogs") or "MemoryError" in graded.said("hogs")
    assert "killed by signal 9" in json.dumps(graded.graded("dies_in_cell").cells)


def test_an_endless_loop_costs_its_test(graded):
    assert graded.points("loops") == (0, 4)
    assert "longer than 2 s" in graded.said("loops")


@pytest.mark.parametrize(
    ("student", "points", "word"),
    [
        ("numpy", 0.5, ""),
        ("numpy_zero", 0, ""),
        ("torch_zero", 0, ""),
        ("false", 0, "ended with False"),
        ("nan", 0, "ended with nan"),
        ("negative", 0, "between 0 and 4"),
        ("large", 0, "between 0 and 4"),
        ("many", 0, "not one number"),
        ("text", 4, "no number of points"),
    ],
)
def test_partial_credit_is_a_number_within_the_range(graded, student, points, word):
    assert graded.points(student) == (2, points)
    assert word in graded.said(student)
    assert graded.rows(student)["mean_tests"][1] == (word not in ("", "ended with False"))


def test_warnings_cost_nothing(graded):
    assert graded.points("warns") == (2, 4)


def test_deleted_test_cells_are_put_back_and_graded(graded):
    assert graded.points("deleted") == (2, 0)
    assert "cell mean_tests was missing" in graded.remarks("deleted")


def test_a_notebook_without_nbgraders_marks_is_graded(graded):
    assert graded.points("stripped") == (2, 4)
    assert "cell marks were missing" in graded.remarks("stripped")


@pytest.mark.parametrize("student", ["not_graded", "solution", "rich", "markdown"])
def test_a_test_cell_of_another_kind_is_graded_as_the_course_made_it(graded, student):
    assert graded.points(student) == (2, 4)
    found = by_id(graded.graded(student).cells, "double_tests")
    assert (found.cell_type, found.metadata.nbgrader.points) == ("code", 2)


def test_an_edited_test_cell_is_replaced(graded):
    assert graded.points("edited") == (0, 4)
    assert "cell double_tests was edited" in graded.remarks("edited")


def test_a_test_cell_cannot_be_skipped_by_a_tag(graded):
    assert graded.points("skips") == (0, 4)


def test_a_test_cell_cannot_be_emptied_by_an_input_transformer(graded):
    assert graded.rows("transforms")["double_tests"] == (0, True)
    assert "kept this test from running" in graded.said("transforms")


def test_what_a_hook_wrote_down_about_hidden_tests_reaches_nobody(graded):
    assert graded.points("spies") == (2, 4)
    assert SECRET in json.dumps(graded.graded("spies").cells[-1].outputs)  # it runs beside them, so it does see them
    for place in ("autograded", "feedback"):
        for path in (graded.root / place / "spies" / "hw").iterdir():
            assert path.suffix == ".ipynb" or SECRET not in path.read_text(), path


def test_sources_and_other_submissions_cannot_be_read(graded):
    assert graded.points("reads") == (2, 4)
    printed = json.dumps(graded.graded("reads").cells[0].outputs)
    assert "LEAKED" not in printed
    assert printed.count("FileNotFoundError") + printed.count("PermissionError") == 3


def test_the_gradebook_cannot_be_written(graded):
    assert graded.points("writes") == (2, 4)
    assert graded.points("wrong") == (0, 4)


@pytest.mark.parametrize("student", ["bom", "latin", "utf16"])
def test_odd_encodings_are_read(graded, student):
    assert graded.points(student) == (2, 4)


@pytest.mark.parametrize("student", ["truncated", "empty", "deep", "linked"])
def test_a_file_that_cannot_be_read_gets_nothing_a_reason_and_feedback(graded, student):
    assert graded.points(student) == (0, 0)
    assert "could not be read" in graded.remarks(student)
    assert "could not be read" in graded.feedback(student)


def test_cells_that_are_none_cost_nobody_anything(graded):
    assert graded.points("cells") == (0, 0)
    assert "cell double_tests was missing" in graded.remarks("cells")


def test_feedback_shows_no_hidden_test(graded):
    pages = list((graded.root / "feedback").rglob("*.html"))
    assert len(pages) == len(list((graded.root / "submitted").iterdir()))
    for page in pages:
        assert SECRET not in page.read_text(), page
    assert "double of more" in graded.feedback("wrong") or "double of one" in graded.feedback("wrong")


def test_figures_are_kept_for_the_person_who_grades_them(graded):
    kinds = [list(output.get("data", {})) for output in graded.graded("draws").cells[0].outputs]
    assert ["image/png", "text/plain"] in kinds
    assert "data:image/png" in graded.feedback("draws")


def test_the_log_says_that_hidden_tests_in_cells_can_be_seen(graded):
    assert "inside the student's process" in graded.log


def test_a_failed_run_leaves_no_old_score_standing(graded):
    made = graded
    made.hand_in("later")
    made.done(made.autograde("later"))
    assert made.points("later") == (2, 4)
    other = copy.deepcopy(made.released())
    for one in other["cells"]:
        if "nbgrader" in one["metadata"]:
            one["metadata"]["nbgrader"]["grade_id"] += "_of_another_course"
            one["source"] = "something = 'else'"
    made.hand_in_bytes("later", json.dumps(other).encode())
    result = made.autograde("later")
    assert not result["success"]
    assert "another assignment" in result["log"]
    assert made.rows("later") == {"double_tests": (None, True), "mean_tests": (None, True), "why": (None, True)}


def test_what_a_person_gave_is_kept(graded):
    made = graded
    made.hand_in("judged", why="Because.")
    made.done(made.autograde("judged"))
    assert made.rows("judged")["why"] == (None, True)
    with made.gradebook() as gradebook:
        gradebook.find_grade("why", "hw", "hw", "judged").manual_score = 2
        gradebook.db.commit()
    made.done(made.autograde("judged"))
    with made.gradebook() as gradebook:
        assert gradebook.find_submission("hw", "judged").score == 8


def test_good_answers_are_in_the_graded_notebook(graded):
    assert by_id(graded.graded("good").cells, "double").source == GOOD["double"]
