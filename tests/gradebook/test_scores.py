"""What a grading found is entered as it is; without one, outputs are read strictly and people are asked."""

from types import SimpleNamespace

import nbformat
import pytest
from headcheck.gradebook.dropin.scores import enter, points_without_run
from headcheck.gradebook.plain.points import Points
from nbgrader.utils import compute_checksum


def graded_cell(*outputs, source="assert True", points=2):
    cell = nbformat.v4.new_code_cell(source, execution_count=1, outputs=list(outputs))
    cell.metadata["nbgrader"] = {
        "grade": True, "grade_id": "a_tests", "locked": True, "points": points, "schema_version": 3, "solution": False,
        "task": False,
    }  # fmt: skip
    return cell


def result(text):
    return nbformat.v4.new_output("execute_result", data={"text/plain": text})


def stream(name):
    return nbformat.v4.new_output("stream", name=name, text="text")


ERROR = nbformat.v4.new_output("error", ename="AssertionError", evalue="", traceback=[])


@pytest.mark.parametrize(
    ("outputs", "score"),
    [
        ([], 2),
        ([stream("stdout")], 2),
        ([stream("stderr")], 2),
        ([ERROR], 0),
        ([stream("stdout"), ERROR], 0),
        ([result("0.5")], 0.5),
        ([result("np.float64(0.0)")], 0),
        ([result("nan")], 0),
        ([nbformat.v4.new_output("execute_result", data={"text/html": "2"})], 2),
        ([nbformat.v4.new_output("display_data", data={"text/plain": "0"})], 2),
    ],
)
def test_outputs_that_came_with_the_file_are_read_when_nothing_was_to_be_run(outputs, score):
    assert points_without_run(graded_cell(*outputs)).score == score


def test_a_cell_with_the_hidden_call_that_was_not_run_is_left_to_a_person():
    source = 'assert True\n### BEGIN HIDDEN TESTS\nfrom headcheck import grade\ngrade("a")\n### END HIDDEN TESTS'
    assert points_without_run(graded_cell(source=source)).score is None


def manual_cell(source):
    cell = nbformat.v4.new_markdown_cell("Say why.")
    cell.metadata["nbgrader"] = {**graded_cell().metadata["nbgrader"], "solution": True, "locked": False}
    cell.metadata["nbgrader"]["checksum"] = compute_checksum(cell)
    cell.source = source
    return cell


def test_a_written_answer_is_left_to_a_person_and_an_unwritten_one_gets_nothing():
    assert points_without_run(manual_cell("Because.")).score is None
    assert points_without_run(manual_cell("Say why.")).score == 0


def entered(points, manual=None):
    grade = SimpleNamespace(auto_score="old", manual_score=manual, needs_manual_grade="old")
    enter(grade, points)
    return grade.auto_score, grade.needs_manual_grade


def test_points_are_entered_as_they_are():
    assert entered(Points(0.5)) == (0.5, False)


def test_a_person_is_asked_when_points_are_missing_odd_or_given_by_hand():
    assert entered(Points(None)) == (None, True)
    assert entered(Points(0.0, "odd", look=True)) == (0.0, True)
    assert entered(Points(2.0), manual=1.0) == (2.0, True)
