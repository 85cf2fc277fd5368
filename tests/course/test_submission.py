"""A student's cells go back into the assignment, whatever was done to the notebook."""

import json
from pathlib import Path

import pytest
from headcheck.course.assignment import Assignment
from headcheck.course.notebook import RawCell
from headcheck.course.submission import belonging, merge, read_or_stand_in, read_submission, task_of
from headcheck.errors import UsageError
from hypothesis import example, given, settings
from hypothesis import strategies as st
from small_course import raw, source_cell

STUB_A = "def a(x):\n    return None"
STUB_B = "def b(x):\n    return None"
ASSIGNMENT = Assignment(
    "work",
    (
        source_cell("text-0", "plain", "# Work"),
        source_cell("setup", "locked", "import torch"),
        source_cell("a", "solution", STUB_A, source="def a(x):\n    return 1"),
        source_cell("a_tests", "tests", "assert a", 2, "assert a\n### BEGIN HIDDEN TESTS"),
        source_cell("b", "solution", STUB_B, source="def b(x):\n    return 2"),
        source_cell("b_tests", "tests", "assert b", 3, "assert b\n### BEGIN HIDDEN TESTS"),
        source_cell("why", "manual", "Say why.", 1),
    ),
    Path("work.ipynb"),
)
GRADED = ["setup", "a", "a_tests", "b", "b_tests", "why"]
LOCKED = {cell.id: cell.released for cell in ASSIGNMENT.cells if cell.kind in ("locked", "tests")}
DONE_A = "def a(x):\n    return 1  # mine"
DONE_B = "def b(x):\n    return 2  # mine"


def handed(**changes):
    """The released notebook as raw cells; a change is another source, None deletes the cell."""
    cells = {cell.id: raw(cell.released, cell.id, cell.cell_type) for cell in ASSIGNMENT.cells}
    cells |= {name: raw(source, name) for name, source in changes.items() if source is not None}
    return [cell for name, cell in cells.items() if changes.get(name, "") is not None]


def ids(submission):
    return [cell.id for cell in submission.cells if cell.id]


def source_of(submission, name):
    return next(cell.source for cell in submission.cells if cell.id == name)


def running(submission):
    return [cell.source for cell in submission.cells if cell.runs]


def test_an_untouched_notebook_comes_out_as_it_was_released():
    submission = merge(handed(), ASSIGNMENT)
    assert [cell.source for cell in submission.cells] == [cell.released for cell in ASSIGNMENT.cells]
    assert submission.notes == ()
    assert submission.missing == frozenset()
    assert submission.unchanged == {"a", "b", "why"}


def test_answers_come_from_the_student_and_only_those_that_changed_count_as_work():
    submission = merge(handed(a=DONE_A, why="Because."), ASSIGNMENT)
    assert source_of(submission, "a") == DONE_A
    assert source_of(submission, "why") == "Because."
    assert submission.unchanged == {"b"}


def test_blanks_at_line_ends_and_empty_lines_around_do_not_count_as_work():
    assert "a" in merge(handed(a=f"\n\n{STUB_A.replace(':', ':   ')}\n\n"), ASSIGNMENT).unchanged


def test_prose_and_manual_answers_never_run():
    submission = merge(handed(why="Because."), ASSIGNMENT)
    assert {cell.cell_type for cell in submission.cells if not cell.runs} == {"markdown"}


@pytest.mark.parametrize("name", ["setup", "a_tests"])
def test_an_edited_locked_or_tests_cell_is_the_courses_own_again_and_that_is_said(name):
    submission = merge(handed(**{name: "assert True  # easy"}), ASSIGNMENT)
    assert source_of(submission, name) == LOCKED[name]
    assert "easy" not in "".join(cell.source for cell in submission.cells)
    assert submission.notes == (f"cell {name} was edited; the original was used",)


def test_a_tests_cell_with_its_hidden_region_is_not_called_edited():
    submission = merge(handed(a_tests=ASSIGNMENT.by_id["a_tests"].source), ASSIGNMENT)
    assert submission.notes == ()
    assert source_of(submission, "a_tests") == "assert a"


def test_a_tests_cell_turned_into_markdown_runs_all_the_same():
    cells = [raw("assert a", "a_tests", "markdown") if cell.grade_id == "a_tests" else cell for cell in handed()]
    submission = merge(cells, ASSIGNMENT)
    assert "assert a" in running(submission)
    assert submission.notes == ("cell a_tests was edited; the original was used",)


def test_an_answer_turned_into_markdown_still_runs_as_code():
    cells = [raw(DONE_A, "a", "markdown") if cell.grade_id == "a" else cell for cell in handed()]
    assert DONE_A in running(merge(cells, ASSIGNMENT))


def test_a_manual_answer_turned_into_code_never_runs():
    assert "import os" not in running(merge(handed(why="import os"), ASSIGNMENT))


@pytest.mark.parametrize("name", ["setup", "a_tests", "b_tests"])
def test_a_deleted_locked_or_tests_cell_is_put_back_in_its_place(name):
    submission = merge(handed(**{name: None}), ASSIGNMENT)
    assert ids(submission) == GRADED
    assert source_of(submission, name) == LOCKED[name]
    assert submission.notes == (f"cell {name} was missing",)


def test_a_deleted_answer_is_missing_and_nothing_runs_in_its_place():
    submission = merge(handed(a=None, why=None), ASSIGNMENT)
    assert submission.missing == {"a", "why"}
    assert ids(submission) == GRADED
    assert not any(cell.runs for cell in submission.cells if cell.id in ("a", "why"))


def test_of_copies_of_an_answer_the_last_one_worked_on_counts_and_all_worked_on_run():
    cells = [*handed(a=DONE_A), raw("def a(x):\n    return 7", "a"), raw(STUB_A, "a")]
    submission = merge(cells, ASSIGNMENT)
    assert source_of(submission, "a") == "def a(x):\n    return 7"
    assert [source for source in running(submission) if "def a" in source] == [DONE_A, "def a(x):\n    return 7"]
    assert submission.notes == ("cell a stood there more than once; the last copy that was worked on counts",)


def test_a_duplicate_answer_cell_that_is_still_the_stub_does_not_run():
    submission = merge([*handed(a=DONE_A), raw(STUB_A, "a")], ASSIGNMENT)
    assert STUB_A not in running(submission)
    assert "a" not in submission.unchanged


def test_of_copies_that_are_all_the_stub_one_runs_and_none_counts_as_work():
    submission = merge([*handed(), raw(STUB_A, "a")], ASSIGNMENT)
    assert running(submission).count(STUB_A) == 1
    assert "a" in submission.unchanged


def test_a_duplicate_tests_cell_runs_once():
    submission = merge([*handed(), raw("assert a", "a_tests"), raw("assert True", "a_tests")], ASSIGNMENT)
    assert ids(submission).count("a_tests") == 1
    assert running(submission).count("assert a") == 1
    assert "assert True" not in running(submission)
    assert "cell a_tests stood there more than once" in submission.notes


def test_moved_cells_keep_the_students_order():
    cells = handed(a=DONE_A, b=DONE_B)
    submission = merge(cells[::-1], ASSIGNMENT)
    assert ids(submission) == GRADED[::-1]
    assert submission.notes == ()


def test_cells_are_found_by_their_content_when_all_marks_are_gone():
    cells = [raw(cell.source, "", cell.cell_type) for cell in handed(a=DONE_A)]
    submission = merge(cells, ASSIGNMENT)
    assert ids(submission) == GRADED
    assert source_of(submission, "a") == DONE_A
    assert submission.missing == frozenset()
    assert submission.notes == ("nbgrader's cell marks were missing; the cells were found by their content",)


def test_an_answer_in_the_students_own_cell_stands_for_a_deleted_answer_cell():
    submission = merge([*handed(a=None), raw(DONE_A)], ASSIGNMENT)
    assert source_of(submission, "a") == DONE_A
    assert "a" not in submission.missing


@pytest.mark.parametrize(
    "own",
    [DONE_A, "a = lambda x: 1", "a: object = 1", "class a:\n    pass", "x = 2\nasync def a():\n    pass"],
)
def test_an_answer_beside_the_untouched_answer_cell_counts_as_work_and_runs(own):
    submission = merge([*handed(), raw(own)], ASSIGNMENT)
    assert "a" not in submission.unchanged
    assert own in running(submission)


@pytest.mark.parametrize("own", ["print(a)", "a == 1", "    a = 1", "ab = 1", "# a = 1", "a.b = 1"])
def test_a_cell_that_only_uses_the_name_is_no_answer(own):
    assert "a" in merge([*handed(), raw(own)], ASSIGNMENT).unchanged


@pytest.mark.parametrize("claimed", ["nonsense", "text-0", "a_tests ", "../a"])
def test_a_cell_with_an_unknown_grade_id_is_the_students_own(claimed):
    submission = merge([*handed(), raw("y = 1", claimed)], ASSIGNMENT)
    assert submission.cells[-1].kind == "plain"
    assert submission.cells[-1].id == ""
    assert "y = 1" in running(submission)


def test_the_hidden_call_in_a_students_cell_stays_a_plain_cell():
    submission = merge([*handed(), raw('from headcheck import grade\ngrade("a")', "a_hidden")], ASSIGNMENT)
    assert submission.cells[-1].kind == "plain"


CELLS = st.builds(
    RawCell,
    st.sampled_from(["code", "markdown"]),
    st.sampled_from([cell.released for cell in ASSIGNMENT.cells] + [cell.source for cell in ASSIGNMENT.cells])
    | st.sampled_from([DONE_A, DONE_B, "a = 1", "assert True", "", "\n"])
    | st.text(max_size=20),
    st.sampled_from(["", *GRADED, "text-0", "nonsense"]),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(CELLS, max_size=15))
@example([])
def test_any_cells_give_every_cell_of_the_course_once_and_its_own_text_where_nothing_may_be_changed(cells):
    submission = merge(cells, ASSIGNMENT)
    assert sorted(ids(submission)) == sorted(GRADED)
    for cell in submission.cells:
        if cell.kind in ("locked", "tests"):
            assert cell.source == LOCKED[cell.id]
            assert cell.runs
        if cell.cell_type != "code":
            assert not cell.runs
        assert cell.kind == (ASSIGNMENT.by_id[cell.id].kind if cell.id else "plain")
    assert submission.missing.isdisjoint(submission.unchanged)


@settings(max_examples=100, deadline=None)
@given(st.lists(CELLS, max_size=15))
def test_no_text_of_a_student_is_lost_but_copies_of_the_courses_own_cells(cells):
    submission = merge(cells, ASSIGNMENT)
    kept = [cell.source for cell in submission.cells]
    for cell in cells:
        if cell.grade_id in ("", "a", "b", "why", "text-0", "nonsense") and cell.source not in LOCKED.values():
            assert cell.source in kept


def test_belonging_counts_ids_else_definitions():
    assert belonging(handed(), ASSIGNMENT) == 5
    assert belonging([raw("x = 1"), raw(DONE_A)], ASSIGNMENT) == 1
    assert belonging([raw("x = 1"), raw(DONE_A, cell_type="markdown")], ASSIGNMENT) == 0


def write(path, cells):
    content = [{"cell_type": c.cell_type, "source": c.source, "metadata": {}} for c in cells]
    path.write_text(json.dumps({"cells": content}))
    return path


def test_a_foreign_notebook_is_refused(tmp_path):
    path = write(tmp_path / "other.ipynb", [raw("print(1)")])
    with pytest.raises(UsageError, match=r"other\.ipynb: not the notebook of work: none of its tasks is in it"):
        read_submission(path, ASSIGNMENT)


def test_an_unusable_file_is_stood_in_for_by_cells_that_never_run(tmp_path):
    submission = read_or_stand_in(tmp_path / "none.ipynb", ASSIGNMENT)
    assert submission.unreadable == "no such notebook"
    assert [cell.source for cell in submission.cells] == [cell.released for cell in ASSIGNMENT.cells]
    assert running(submission) == []
    assert submission.missing == {"a", "b", "why"}


def test_a_usable_file_is_read(tmp_path):
    submission = read_or_stand_in(write(tmp_path / "work.ipynb", handed(a=DONE_A)), ASSIGNMENT)
    assert submission.unreadable == ""
    assert source_of(submission, "a") == DONE_A


def test_tests_solutions_and_manual_cells_belong_to_their_task():
    cells = {cell.id: task_of(cell) for cell in merge(handed(), ASSIGNMENT).cells if cell.id}
    assert cells == {"setup": "", "a": "a", "a_tests": "a", "b": "b", "b_tests": "b", "why": "why"}
