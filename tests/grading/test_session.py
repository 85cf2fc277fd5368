"""Hidden graders are real pytest tests that nobody but the course configures."""

import os

import pytest
import torch
from headcheck.errors import UsageError
from headcheck.grading.checks import Mismatch, WrongAnswer
from headcheck.grading.session import HiddenTest, hidden_points, hidden_tests
from headcheck.jail.errors import CallTimeout, ChildDied, JailUnavailable, NotDefined, StudentError

HEAD = "import pytest\nfrom headcheck.grading.checks import WrongAnswer, compare, task\n\n"
ASKS = '@task("a", points=1)\ndef test_one(student, draw):\n    assert student.a(3) == 6\n\n'
GIVES_UP = '@task("a", points=1)\ndef test_two(student):\n    student.a(4)\n\n'


class Process:
    """Stands in for a student's process: a function for all calls, a dict of variables."""

    def __init__(self, call=lambda name, x: 2 * x, values=None):
        self._call, self._values, self.asked = call, values or {}, []

    def ask(self, request):
        return request(self, 1.0)

    def call(self, name, args, kwargs, seconds):
        self.asked.append((name, args))
        return self._call(name, *args, **kwargs)

    def get(self, name, seconds):
        if name not in self._values:
            raise NotDefined(name)
        return self._values[name]


@pytest.fixture
def run(make_course):
    def run_tests(hidden, *processes):
        tiny = make_course(hidden=HEAD + hidden)
        processes = processes or (Process(),)
        found = hidden_tests(tiny.course, tiny.name, lambda tests: [tests.run(process) for process in processes])
        return found[0] if len(processes) == 1 else found

    return run_tests


def raising(error):
    def call(name, *args):
        raise error

    return Process(call)


def test_tests_are_found_with_task_points_and_name_in_the_order_of_the_file(make_course):
    tiny = make_course()
    assert hidden_tests(tiny.course, tiny.name, lambda tests: tests.tests) == [
        HiddenTest("double", 1.0, "test_a_vector_is_doubled"),
        HiddenTest("double", 2.0, "test_a_matrix_is_doubled"),
        HiddenTest("total", 2.0, "test_all_numbers_are_added"),
    ]


def test_points_of_a_task_are_those_of_its_tests_together(make_course):
    tiny = make_course()
    assert hidden_points(tiny.course, tiny.name) == {"double": 3.0, "total": 2.0}


def test_each_case_of_a_parametrized_test_counts(make_course):
    tiny = make_course(hidden=HEAD + '@task("a", 1)\n@pytest.mark.parametrize("n", [1, 2, 3])\ndef test(n): pass\n')
    assert hidden_points(tiny.course, tiny.name) == {"a": 3.0}


def test_a_test_passes_or_keeps_the_error_it_ended_with(run):
    good, bad = run(ASKS, Process(), Process(lambda name, x: x))
    assert good[0].error is None
    assert type(bad[0].error) is AssertionError


def test_tests_run_anew_for_every_submission_with_fresh_numbers(run):
    hidden = '@task("a", 1)\ndef test(student, draw): student.a(draw.tensor(4))\n'
    first, second = Process(), Process()
    run(hidden, first, second)
    assert not torch.equal(first.asked[0][1][0], second.asked[0][1][0])


def test_an_outcome_holds_the_calls_of_its_own_test_crashes_included(run):
    def call(name, x):
        if x == 4:
            raise StudentError("ValueError", "four")
        return 2 * x

    one, two = run(ASKS + GIVES_UP, Process(call))
    assert [(seen.args, seen.got) for seen in one.calls] == [((3,), 6)]
    assert [(seen.args, str(seen.got)) for seen in two.calls] == [((4,), "ValueError: four")]


def test_variables_are_read_by_name_and_a_missing_one_is_told(run):
    hidden = '@task("a", 1)\ndef test_x(student): assert student.value("x") == 5\n'
    hidden += '@task("a", 1)\ndef test_y(student): student.value("y")\n'
    x, y = run(hidden, Process(values={"x": 5}))
    assert x.error is None
    assert isinstance(y.error, NotDefined)


def test_a_task_whose_code_hung_or_died_is_not_asked_again_but_other_tasks_are(run):
    def call(name, x):
        if name == "a":
            raise error
        return 2 * x

    other = '@task("b", points=1)\ndef test_three(student):\n    assert student.b(3) == 6\n'
    for error in (CallTimeout("late"), ChildDied("exited")):
        process = Process(call)
        one, two, three = run(ASKS + GIVES_UP + other, process)
        assert one.error is two.error is error
        assert three.error is None
        assert [name for name, _args in process.asked] == ["a", "b"]


def test_a_task_whose_code_raised_is_asked_again(run):
    process = raising(StudentError("ValueError", ""))
    run(ASKS + GIVES_UP, process)
    assert len(process.asked) == 2


def test_giving_up_on_one_submission_says_nothing_about_the_next(run):
    first, second = run(ASKS, raising(CallTimeout("late")), Process())
    assert isinstance(first[0].error, CallTimeout)
    assert second[0].error is None


def test_a_broken_jail_stops_everything(run):
    with pytest.raises(JailUnavailable, match="no more children"):
        run(ASKS, raising(JailUnavailable("no more children")))


@pytest.mark.parametrize(
    "body",
    [
        "def test(student): pytest.skip('later')",
        "def test(student): pytest.xfail('later')",
        "def test(student): pytest.fail('x')",
        "def test(student): pytest.exit('x')",
        "def test(student): raise SystemExit(0)",
        "def test(student): raise GeneratorExit",
    ],
)
def test_a_test_that_was_not_run_to_its_end_never_counts_as_passed(run, body):
    (outcome,) = run(f"@task('a', 1)\n{body}\n")
    assert outcome.error is not None


@pytest.mark.parametrize(
    "body",
    [
        "@pytest.mark.skip\ndef test(student): pass",
        "@pytest.mark.skipif(True, reason='x')\ndef test(student): pass",
        "@pytest.mark.xfail\ndef test(student): assert False",
        "@pytest.mark.usefixtures('draw')\ndef test(student): pass",
        "def test(no_such_fixture): pass",
        "def test(student, tmp_path): pass",
    ],
)
def test_a_test_that_only_pytest_could_run_is_refused(run, body):
    with pytest.raises(UsageError, match="a hidden test takes `student`, `draw`"):
        run(f"@task('a', 1)\n{body}\n")


def test_a_wrong_answer_comes_out_as_it_was_raised(run):
    hidden = (
        "@task('a', 1)\ndef test(student): raise WrongAnswer('Half', fraction=0.5, mistakes=['m'], state='malformed')\n"
    )
    (outcome,) = run(hidden)
    assert isinstance(outcome.error, WrongAnswer)
    assert (outcome.error.fraction, outcome.error.mistakes, outcome.error.state) == (0.5, ["m"], "malformed")


def test_compare_works_through_the_fixture(run):
    (outcome,) = run("@task('a', 1)\ndef test(student): compare(student.a, lambda x: x + 1, 5)\n")
    assert isinstance(outcome.error, Mismatch)
    assert (outcome.error.function, outcome.error.inputs, outcome.error.got) == ("a", (5,), 10)


@pytest.mark.parametrize(
    ("hidden", "what"),
    [
        ("import no_such_module\n", "No module named 'no_such_module'"),
        ("def test(:\n", "SyntaxError"),
        ("1 / 0\n", "ZeroDivisionError"),
        ("x = 1\n", "pytest found no hidden test"),
        ("import pytest\npytest.skip('x', allow_module_level=True)\n", "pytest found no hidden test"),
        ("def test_free(student): pass\n", "test_free: a hidden test without @task"),
        ("import pytest\n@pytest.mark.task('a')\ndef test_half(): pass\n", "test_half: a hidden test without @task"),
        ("import pytest\n@pytest.mark.unknown\ndef test(): pass\n", "'unknown' not found"),
        (None, "no hidden graders"),
    ],
)
def test_a_hidden_file_that_cannot_be_used_is_one_line_and_never_an_empty_pass(make_course, hidden, what):
    tiny = make_course(hidden=hidden)
    with pytest.raises(UsageError) as raised:
        hidden_points(tiny.course, tiny.name)
    assert what in str(raised.value)
    assert f"test_{tiny.name}.py" in str(raised.value) or "unknown" in what
    assert len(str(raised.value).splitlines()) == 1


def test_an_error_of_the_body_comes_through_pytest_unchanged(make_course):
    tiny = make_course()
    error = KeyError("mine")

    def body(tests):
        raise error

    with pytest.raises(KeyError) as raised:
        hidden_tests(tiny.course, tiny.name, body)
    assert raised.value is error


CONFTEST = """
import pytest

@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    return True
"""


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("pytest.ini", "[pytest]\naddopts = --no-such-option\n"),
        ("pytest.ini", "[pytest]\npython_functions = nothing_*\n"),
        ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = '--no-such-option'\n"),
        ("tox.ini", "[pytest]\naddopts = --no-such-option\n"),
        ("setup.cfg", "[tool:pytest]\naddopts = --no-such-option\n"),
        ("conftest.py", CONFTEST),
        ("autograder/conftest.py", CONFTEST),
        ("autograder/hidden/conftest.py", CONFTEST),
        ("autograder/hidden/pytest.ini", "[pytest]\naddopts = --no-such-option\n"),
    ],
)
def test_a_configuration_lying_around_has_no_say(make_course, monkeypatch, name, content):
    tiny = make_course(hidden=HEAD + ASKS)
    (tiny.root / name).write_text(content)
    monkeypatch.chdir(tiny.root)
    (outcome,) = hidden_tests(tiny.course, tiny.name, lambda tests: tests.run(Process(lambda name, x: x)))
    assert isinstance(outcome.error, AssertionError)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PYTEST_ADDOPTS", "--no-such-option"),
        ("PYTEST_ADDOPTS", "--collect-only"),
        ("PYTEST_PLUGINS", "no_such_plugin"),
        ("PYTEST_DISABLE_PLUGIN_AUTOLOAD", ""),
    ],
)
def test_the_environment_has_no_say_and_is_as_before_afterwards(make_course, monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    before = dict(os.environ)
    tiny = make_course(hidden=HEAD + ASKS)
    (outcome,) = hidden_tests(tiny.course, tiny.name, lambda tests: tests.run(Process(lambda name, x: x)))
    assert isinstance(outcome.error, AssertionError)
    after = {key: value for key, value in os.environ.items() if key != "PYTEST_CURRENT_TEST"}
    before.pop("PYTEST_CURRENT_TEST", None)
    assert {key: after.get(key) for key in before} == before


def test_hidden_tests_print_nothing_and_leave_no_cache(make_course, capfd):
    tiny = make_course(hidden=HEAD + ASKS + "print('while importing')\n")
    hidden_tests(tiny.course, tiny.name, lambda tests: tests.run(Process(lambda name, x: print(name) or x)))
    assert capfd.readouterr() == ("", "")
    assert not (tiny.root / ".pytest_cache").exists()
