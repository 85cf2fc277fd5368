"""Whole submissions through the real jail: every kind of trouble costs only its own task."""

import contextlib
import json

import pytest
from headcheck.errors import UsageError
from headcheck.grading import check, grade
from headcheck.grading.check import check_notebooks, detect_assignment
from headcheck.grading.grade import make_jail, with_grader
from small_course import GOOD, HIDDEN, TEXT, lay_out, own_modules, write_json


@pytest.fixture(autouse=True)
def _own_modules():
    with own_modules():
        yield


@pytest.fixture
def verdict(tiny, jail, tmp_path):
    def of(path=None, **answers):
        path = path or tiny.notebook(tmp_path / "work.ipynb", **{**GOOD, **answers})
        return with_grader(tiny.course, tiny.name, jail, lambda grader: grader.grade_file(path))

    return of


def states(found):
    return {task.task: (task.state, task.score) for task in found.tasks}


def test_right_answers_get_all_points_but_those_that_a_person_gives(verdict, jail, tiny, tmp_path):
    found = verdict(why="Because it is linear.")
    assert states(found) == {"double": ("correct", 3), "total": ("correct", 2), "why": ("manual", 0)}
    assert (found.score, found.max_score, found.assignment) == (5, 6, tiny.name)
    assert (found.isolation, found.notebook) == (jail.isolation, str(tmp_path / "work.ipynb"))
    assert [note for note in found.notes if note not in jail.missing] == []


def test_the_released_notebook_as_it_is_gets_nothing(verdict, tiny):
    found = verdict(tiny.course.release_file(tiny.name))
    assert states(found) == dict.fromkeys(["double", "total", "why"], ("not_attempted", 0))
    assert found.tasks[0].message.startswith("This cell is as you got it.")


def test_a_known_mistake_is_named_and_the_other_task_is_not_touched(verdict):
    found = verdict(double="def double(x):\n    return x ** 2")
    assert states(found)["double"] == ("incorrect", 0)
    assert found.tasks[0].mistakes == ("squared",)
    assert "The mistake: `x * x` in place of `2 * x`." in found.tasks[0].message
    assert states(found)["total"] == ("correct", 2)


def test_a_function_that_is_right_for_some_inputs_gets_their_points(verdict):
    found = verdict(double="def double(x):\n    return 2 * x if x.ndim == 1 else x")
    assert states(found)["double"] == ("partial", 1)


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        ("def double(x):\n    raise ValueError(str(x.tolist()))", "error"),
        ("def double(x):\n    while True: pass", "timeout"),
        ("import os\ndef double(x):\n    os._exit(0)", "error"),
        ("def double(x):\n    return 2 *", "error"),
        ("def double():\n    return 1", "error"),
        ("double = 7", "error"),
        ("del torch", "error"),
        ("import os\nos._exit(0)", "error"),
        ("while True: pass", "error"),
        ("raise SystemExit(0)", "error"),
        ("def double(x):\n    return object()", "error"),
        ("def double(x):\n    return x * float('nan')", "incorrect"),
        ("def double(x):\n    return 10 ** 1000", "incorrect"),
        ("def double(x):\n    return {'a': x}", "incorrect"),
        ("def double(x):\n    return None", "incorrect"),
        (
            "torch.allclose = torch.isclose = torch.equal = lambda *a, **k: True\ndef double(x):\n    return x",
            "incorrect",
        ),
        ("class Double:\n    def __eq__(self, other): return True\ndef double(x):\n    return Double()", "error"),
        ("from headcheck import grade", "error"),
        ("x" * 500_000, "error"),
    ],
)
def test_trouble_in_one_answer_costs_only_its_own_task(verdict, answer, state):
    found = verdict(double=answer)
    assert states(found)["double"] == (state, 0)
    assert states(found)["total"] == ("correct", 2)


def test_what_a_function_says_about_its_inputs_does_not_come_back(verdict):
    found = verdict(double="def double(x):\n    print('LEAK')\n    raise ValueError('LEAK ' + str(x.tolist()))")
    assert "LEAK" not in json.dumps(found.to_json())
    assert not any("LEAK" in output.stdout for index, output in found.outputs.items() if index > 3)


def test_tests_that_a_student_made_easy_change_nothing(verdict):
    found = verdict(double="def double(x):\n    return x", double_tests="pass")
    assert states(found)["double"] == ("incorrect", 0)
    assert "cell double_tests was edited; the original was used" in found.notes


def test_an_answer_in_a_cell_of_ones_own_counts(verdict, tiny, tmp_path):
    content = json.loads(tiny.notebook(tmp_path / "work.ipynb", total=GOOD["total"]).read_text())
    content["cells"].append({"cell_type": "code", "source": GOOD["double"], "metadata": {}})
    assert states(verdict(write_json(tmp_path / "own.ipynb", content)))["double"] == ("correct", 3)


def test_prints_are_kept_by_cell_and_the_hidden_call_never_runs(verdict, tiny):
    found = verdict(double="print('hello')\n" + GOOD["double"])
    index = [cell.id for cell in tiny.assignment.cells].index("double")
    assert found.outputs[index].stdout == "hello\n"
    assert not any(output.error_name for output in found.outputs.values())


@pytest.mark.parametrize("content", [None, b"", b"%PDF", b"{}", b'{"cells": [{"cell_type": "code", "source": "1"}]}'])
def test_a_file_that_cannot_be_used_gets_a_verdict_with_the_reason(verdict, tmp_path, content):
    path = tmp_path / "odd.ipynb"
    if content is not None:
        path.write_bytes(content)
    found = verdict(path)
    assert (found.score, found.max_score) == (0, 6)
    assert {task.state for task in found.tasks} == {"error"}
    assert {task.message for task in found.tasks} == {found.unreadable}
    assert str(tmp_path) not in found.tasks[0].message


def test_a_folder_in_place_of_the_notebook_gets_a_verdict_too(verdict, tmp_path):
    (tmp_path / "work.ipynb").mkdir()
    assert "not a file" in verdict(tmp_path / "work.ipynb").tasks[0].message


def test_the_process_is_closed_even_when_the_hidden_tests_break(tiny, jail, tmp_path, monkeypatch):
    closed = []

    class Process:
        def __init__(self, *_args):
            pass

        def start(self):
            raise KeyError("broken")

        def close(self):
            closed.append(True)

    monkeypatch.setattr(grade, "StudentProcess", Process)
    path = tiny.notebook(tmp_path / "work.ipynb")
    with pytest.raises(KeyError, match="broken"):
        with_grader(tiny.course, tiny.name, jail, lambda grader: grader.grade_file(path))
    assert closed == [True]


def test_a_task_without_a_hidden_test_is_refused_before_anything_is_graded(tiny, jail, tmp_path):
    course = lay_out(tmp_path, TEXT, HIDDEN.split('\n\n\n@task("total"')[0])
    for path in (course.course.source_file, course.course.release_file):
        origin = getattr(tiny.course, path.__name__)(tiny.name)
        path(course.name).parent.mkdir(parents=True)
        path(course.name).write_bytes(origin.read_bytes())
    with pytest.raises(UsageError, match="the hidden tests of total are worth 0 points, its test cell 2"):
        with_grader(course.course, course.name, jail, lambda grader: pytest.fail("it graded"))


def test_the_jail_gets_whole_limits_of_at_least_one_second(tiny, tmp_path, monkeypatch):
    course = lay_out(tmp_path, limits="submission_seconds = 0.5\nmemory_mb = 99.5").course
    made = []
    monkeypatch.setattr(grade, "Jail", lambda **arguments: made.append(arguments["limits"]))
    make_jail(course)
    assert (made[0].cpu_s, made[0].memory_mb) == (1, 100)
    assert type(made[0].memory_mb) is int


@pytest.fixture
def shared(jail, monkeypatch):
    monkeypatch.setattr(check, "make_jail", lambda course: contextlib.nullcontext(jail))


@pytest.mark.usefixtures("shared")
def test_many_notebooks_get_their_verdicts_in_order_and_the_unusable_ones_their_reason(tiny, tmp_path):
    paths = [
        tiny.notebook(tmp_path / "good.ipynb", **GOOD),
        tmp_path / "none.ipynb",
        write_json(tmp_path / "foreign.ipynb", {"cells": [{"cell_type": "code", "source": "1"}]}),
        tiny.notebook(tmp_path / "half.ipynb", total=GOOD["total"]),
    ]
    found = list(check_notebooks(tiny.root, paths))
    assert [getattr(one, "score", None) for one in found] == [5, None, None, 2]
    assert [getattr(one, "notebook", None) for one in found[::3]] == [str(paths[0]), str(paths[3])]
    assert "no such notebook" in str(found[1])
    assert f"not a notebook of this course ({tiny.name})" in str(found[2])


@pytest.mark.usefixtures("shared")
def test_the_same_notebook_may_be_named_twice(tiny, tmp_path):
    path = tiny.notebook(tmp_path / "good.ipynb", **GOOD)
    assert [one.score for one in check_notebooks(tiny.root, [path, path])] == [5, 5]


def test_an_assignment_is_recognised_by_its_cells_whatever_the_file_is_called(tiny, tmp_path):
    path = tiny.notebook(tmp_path / "homework (3) final.ipynb")
    assert detect_assignment(tiny.course, path) == tiny.name
