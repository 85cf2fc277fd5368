"""Points of cells on which headcheck has no verdict are read strictly; a verdict's points are entered as they are."""

from types import SimpleNamespace

import nbformat
import pytest
from headcheck.gradebook.scores import SaveAutoGrades, score_of
from nbgrader.utils import compute_checksum


def graded_cell(*outputs, source="assert True", count=1, points=2):
    cell = nbformat.v4.new_code_cell(source, execution_count=count, outputs=list(outputs))
    cell.metadata["nbgrader"] = {
        "grade": True, "grade_id": "a_tests", "locked": True, "points": points, "schema_version": 3, "solution": False,
        "task": False,
    }  # fmt: skip
    return cell


def result(text):
    return nbformat.v4.new_output("execute_result", data={"text/plain": text})


def stream(name, text="text"):
    return nbformat.v4.new_output("stream", name=name, text=text)


ERROR = nbformat.v4.new_output("error", ename="AssertionError", evalue="", traceback=[])


def test_a_cell_that_ran_without_an_error_gets_full_points():
    assert score_of(graded_cell()) == 2
    assert score_of(graded_cell(stream("stdout"))) == 2


def test_a_warning_on_stderr_costs_nothing():
    assert score_of(graded_cell(stream("stderr", "UserWarning: old"))) == 2


@pytest.mark.parametrize("outputs", [[ERROR], [stream("stdout"), ERROR], [result("2"), ERROR], [ERROR, result("2")]])
def test_an_error_is_worth_nothing(outputs):
    assert score_of(graded_cell(*outputs)) == 0


def test_a_cell_that_never_ran_is_worth_nothing():
    assert score_of(graded_cell(count=None)) == 0


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("1", 1),
        ("0", 0),
        ("2", 2),
        ("0.5", 0.5),
        (".5", 0.5),
        ("1.", 1),
        ("1e-1", 0.1),
        (" 1.5\n", 1.5),
        ("np.float64(0.5)", 0.5),
        ("np.float32(0.5)", 0.5),
        ("np.int64(1)", 1),
        ("np.uint8(1)", 1),
        ("tensor(0.7500)", 0.75),
        ("tensor(1)", 1),
    ],
)
def test_a_plain_number_within_the_range_is_a_partial_score(text, points):
    assert score_of(graded_cell(result(text))) == points


NO_SCORES = """
nan NaN inf -inf Infinity -1 -0.5 2.01 1e9 1e999 True False None '2' '1' two 1_0 0x1 1,5 (1,) [1] 1+0j float(1)
np.float64(nan) np.float64(inf) np.True_ np.float64(-1.0) np.float64(3) np.float64(np.float64(1)) tensor(nan)
tensor(-1.) tensor(True) tensor([1.]) tensor(3.) tensor(1.,grad_fn=<X>)
"""


@pytest.mark.parametrize("text", ["", "1 2", "1\n2", *NO_SCORES.split()])
def test_whatever_is_not_plainly_such_a_number_is_worth_nothing(text):
    assert score_of(graded_cell(result(text))) == 0


def test_a_result_without_plain_text_is_worth_nothing():
    html = nbformat.v4.new_output("execute_result", data={"text/html": "2"})
    assert score_of(graded_cell(html)) == 0


def test_what_is_displayed_but_not_returned_is_no_score():
    shown = nbformat.v4.new_output("display_data", data={"text/plain": "0"})
    assert score_of(graded_cell(shown)) == 2


def test_a_cell_with_the_hidden_call_but_no_verdict_is_left_to_a_person():
    source = 'assert True\n### BEGIN HIDDEN TESTS\nfrom headcheck import grade\ngrade("a")\n### END HIDDEN TESTS'
    assert score_of(graded_cell(source=source)) is None


def manual_cell(source):
    cell = nbformat.v4.new_markdown_cell("Say why.")
    cell.metadata["nbgrader"] = {**graded_cell().metadata["nbgrader"], "solution": True, "locked": False}
    cell.metadata["nbgrader"]["checksum"] = compute_checksum(cell)
    cell.source = source
    return cell


def test_a_written_answer_is_left_to_a_person_and_an_unwritten_one_gets_nothing():
    assert score_of(manual_cell("Because.")) is None
    assert score_of(manual_cell("Say why.")) == 0


def entered(cell, verdict=None, manual=None):
    grade = SimpleNamespace(auto_score="old", manual_score=manual, needs_manual_grade="old")
    asked, commits = [], []
    step = SaveAutoGrades()
    step.gradebook = SimpleNamespace(
        find_grade=lambda *names: asked.append(names) or grade, db=SimpleNamespace(commit=lambda: commits.append(1))
    )
    step.notebook_id, step.assignment_id, step.student_id = "notebook", "assignment", "student"
    step._add_score(cell, {"headcheck": verdict} if verdict is not None else {})
    assert asked == [("a_tests", "notebook", "assignment", "student")]
    assert commits == [1]
    return grade.auto_score, grade.needs_manual_grade


def test_a_verdicts_points_are_entered_whatever_the_cell_printed():
    assert entered(graded_cell(result("2")), {"a_tests": 0.5}) == (0.5, False)
    assert entered(graded_cell(ERROR), {"a_tests": 2}) == (2.0, False)


def test_without_a_verdict_the_outputs_are_read():
    assert entered(graded_cell(result("0.5")), {}) == (0.5, False)
    assert entered(graded_cell(result("0.5"))) == (0.5, False)


def test_a_score_of_a_person_is_kept_and_marked_for_another_look():
    assert entered(graded_cell(), {"a_tests": 2}, manual=1.0) == (2.0, True)


def test_without_points_a_person_is_asked():
    assert entered(graded_cell(source="from headcheck import grade")) == (None, True)


def test_a_verdict_on_a_written_answer_is_left_to_a_person():
    assert entered(manual_cell("Because."), {"a_tests": 0}) == (None, True)
