"""An assignment as it is read back from the built notebooks."""

import shutil

import pytest
from headcheck.course.assignment import Task, load_assignment
from headcheck.course.config import load_course
from headcheck.errors import UsageError


def test_tasks_come_with_their_points_in_the_order_of_the_notebook(tiny):
    assignment = tiny.assignment
    assert assignment.tasks == (Task("double", 3, False), Task("total", 2, False), Task("why", 1, True))
    assert [task.grade_id for task in assignment.tasks] == ["double_tests", "total_tests", "why"]
    assert assignment.max_score == 6


def test_a_cell_knows_the_answer_and_what_the_student_got(tiny):
    cell = tiny.assignment.by_id["double"]
    assert (cell.kind, cell.cell_type) == ("solution", "code")
    assert "modelanswer" in cell.source
    assert cell.visible == cell.released == 'def double(x):\n    """Twice x."""\n    return None'


def test_the_hidden_call_never_stands_in_what_may_run_in_the_jail(tiny):
    assert all("grade(" not in cell.visible for cell in tiny.assignment.cells)
    assert "grade(" in tiny.assignment.by_id["double_tests"].source


def test_prose_has_no_grade_id(tiny):
    assert [cell.kind for cell in tiny.assignment.cells if cell.id not in tiny.assignment.by_id] == ["plain"]


@pytest.fixture
def copy(tiny, tmp_path):
    shutil.copytree(tiny.root, tmp_path / "course")
    return load_course(tmp_path / "course"), tiny.name


def test_missing_notebooks_point_to_the_build(copy):
    course, name = copy
    course.release_file(name).unlink()
    with pytest.raises(UsageError, match="missing; run `headcheck build`"):
        load_assignment(course, name)


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff", b"[1]", b'{"cells": [{"source": "no id"}]}'])
def test_a_broken_notebook_points_to_the_build(copy, content):
    course, name = copy
    course.source_file(name).write_bytes(content)
    with pytest.raises(UsageError, match="not a notebook; run `headcheck build`"):
        load_assignment(course, name)


def test_notebooks_that_do_not_fit_together_are_refused(copy):
    course, name = copy
    text = course.release_file(name).read_text()
    course.release_file(name).write_text(text.replace('"id": "total"', '"id": "sum"'))
    with pytest.raises(UsageError, match="do not belong together"):
        load_assignment(course, name)
