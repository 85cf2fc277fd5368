"""Students of the further assignments who live in this process, and a way to run hidden tests on them."""

import importlib.util
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import matplotlib
import pytest
import torch
from headcheck.course.markers import TextCell, read_text_notebook
from headcheck.course.stubs import stub_of
from headcheck.diagnosis.match import Observation, matching
from headcheck.grading.checks import Mismatch, WrongAnswer
from headcheck.grading.draw import Draw
from headcheck.jail.errors import NotDefined, StudentError, StudentFailure

from solutions.mistakes import BANK

ROOT = Path(__file__).parents[2]
matplotlib.use("Agg")
torch.set_num_threads(1)  # small models; more threads only wait for each other


def sent(value: Any) -> Any:
    """Copy a value as the way through the wall does; objects made by `make` become themselves again."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, LocalObject):
        return value.kept
    if isinstance(value, (tuple, list)):
        return type(value)(map(sent, value))
    return {key: sent(part) for key, part in value.items()} if isinstance(value, dict) else value


class LocalStudent:
    """Stands in for the `student` fixture: the same calls, no wall."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self.namespace = namespace
        self.calls: list[Observation] = []
        self.advice: list[str] = []

    def __getattr__(self, name: str) -> "LocalFunction":
        return LocalFunction(name, self)

    def value(self, name: str) -> Any:
        if name not in self.namespace:
            raise NotDefined(name)
        return self.namespace[name]

    def seed(self, number: int) -> None:
        torch.manual_seed(number)

    def observe_as(self, args: tuple[Any, ...], call: Callable[[], Any], again: Any = None) -> Any:
        before = len(self.calls)
        got: Any = None
        try:
            got = call()
        except StudentError as error:
            got = error
            raise
        finally:
            del self.calls[before:]
            if got is not None:
                self.calls.append(Observation(args, {}, got))
        return got

    def run(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            return function(*map(sent, args), **{name: sent(value) for name, value in kwargs.items()})
        except Exception as exception:
            raise StudentError(type(exception).__name__, str(exception)) from exception

    def observed(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            got = sent(self.run(function, args, kwargs))
        except StudentError as error:
            self.calls.append(Observation(args, kwargs, error))
            raise
        self.calls.append(Observation(args, kwargs, got))
        return got


class LocalFunction:
    def __init__(self, name: str, student: LocalStudent) -> None:
        self.name, self._student = name, student

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._student.observed(self._student.value(self.name), args, kwargs)

    def make(self, *args: Any, **kwargs: Any) -> "LocalObject":
        kept = self._student.run(self._student.value(self.name), args, kwargs)
        return LocalObject(self.name, kept, self._student)


class LocalObject:
    def __init__(self, name: str, kept: Any, student: LocalStudent) -> None:
        self.name, self.kept, self._student = name, kept, student

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._student.observed(self.kept, args, kwargs)

    def method(self, name: str, *args: Any, **kwargs: Any) -> Any:
        return sent(self._student.run(getattr(self.kept, name), args, kwargs))

    def do(self, name: str, *args: Any, **kwargs: Any) -> None:
        self._student.run(getattr(self.kept, name), args, kwargs)

    def eval(self) -> None:
        self.do("eval")

    def load_state_dict(self, state: dict[str, torch.Tensor]) -> None:
        self.do("load_state_dict", state)

    def state(self) -> dict[str, torch.Tensor]:
        return sent(dict(self._student.run(lambda: self.kept.state_dict(), (), {})))


@dataclass(frozen=True)
class HiddenTest:
    task: str
    points: float
    name: str
    run: Callable[[Any, Draw], None]


@cache
def hidden_module(assignment: str) -> ModuleType:
    path = ROOT / f"autograder/hidden/test_{assignment}.py"
    spec = importlib.util.spec_from_file_location(f"hidden_{assignment}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def hidden_tests(assignment: str, task: str | None = None) -> list[HiddenTest]:
    functions = {name: f for name, f in vars(hidden_module(assignment)).items() if name.startswith("test_")}
    marked = [(name, f, mark) for name, f in functions.items() for mark in f.pytestmark if mark.name == "task"]
    tests = [HiddenTest(mark.kwargs["name"], mark.kwargs["points"], name, f) for name, f, mark in marked]
    return [test for test in tests if task in (None, test.task)]


def points_of(assignment: str, task: str) -> float:
    return sum(test.points for test in hidden_tests(assignment, task))


def forms_of(tasks: Iterable[str]) -> list[Any]:
    """Parameters task, id of the mistake, form: every form of every known mistake in these tasks."""
    return [
        pytest.param(task, mistake.id, form, id=f"{task}-{mistake.id}-{number}")
        for task in tasks
        for mistake in BANK.values()
        for number, form in enumerate(mistake.forms(task))
    ]


def demand_points_and_claims(assignment: str, task: str) -> None:
    """The hidden tests of a task are worth what its test cell says, and each says what it claims."""
    (cell,) = [cell for cell in text_cells(assignment) if (cell.kind, cell.name) == ("tests", task)]
    assert cell.points == points_of(assignment, task)
    assert all(test.run.__doc__ for test in hidden_tests(assignment, task))


def failures(assignment: str, task: str, student: LocalStudent, seed: int) -> dict[str, Exception]:
    """Run the hidden tests of a task; name of the test -> what it raised."""
    found: dict[str, Exception] = {}
    for test in hidden_tests(assignment, task):
        try:
            test.run(student, Draw(seed))
        except (AssertionError, StudentFailure) as error:
            found[test.name] = error
    return found


def judged(assignment: str, task: str, student: LocalStudent, seed: int) -> tuple[float, set[str]]:
    """Return the score and the ids of the mistakes that a student would be told."""
    student.calls.clear()
    failed = failures(assignment, task, student, seed)
    score = sum(test.points for test in hidden_tests(assignment, task) if test.name not in failed)
    seen = [Observation(e.inputs, e.named_inputs, e.got) for e in failed.values() if isinstance(e, Mismatch)]
    said = {name for error in failed.values() if isinstance(error, WrongAnswer) for name in error.mistakes}
    return score, said | {mistake.id for mistake in matching(BANK, task, seen, student.calls)}


@cache
def text_cells(assignment: str) -> tuple[TextCell, ...]:
    return tuple(read_text_notebook(ROOT / f"assignments/{assignment}/{assignment}.py"))


def release_source(cell: TextCell) -> str:
    return stub_of(cell.source) if cell.kind == "solution" else cell.source


def run_cells(assignment: str, release: bool, **put: Any) -> tuple[dict[str, Any], dict[str, Exception]]:
    """Run a notebook; the names it leaves, and cell -> what it raised. `put` takes the place of answers."""
    namespace: dict[str, Any] = {}
    errors: dict[str, Exception] = {}
    for cell in text_cells(assignment):
        if cell.cell_type != "code":
            continue
        try:
            exec(release_source(cell) if release else cell.source, namespace)
            if cell.kind == "solution" and cell.name in put:
                namespace[cell.name] = put[cell.name]
        except Exception as error:
            errors[cell.name + "_tests" * (cell.kind == "tests")] = error
    return namespace, errors
