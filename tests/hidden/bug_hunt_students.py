"""Students of the bug hunt who live in this process, and a way to run its hidden tests on them."""

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import matplotlib
import torch
from headcheck.course.markers import TextCell, read_text_notebook
from headcheck.course.stubs import stub_of
from headcheck.diagnosis.match import Observation, matching
from headcheck.grading.checks import Mismatch
from headcheck.grading.draw import Draw
from headcheck.jail.errors import NotDefined, StudentError, StudentFailure

from solutions import bug_hunt
from solutions.mistakes import BANK

ROOT = Path(__file__).parents[2]
matplotlib.use("Agg")

RIGHT_SYMPTOMS = {
    "wrong_view": "silent",
    "missing_transpose": "silent",
    "batch_first": "silent",
    "inverted_mask": "silent",
    "averaged_weights": "wrong shape",
    "d_model_scaling": "silent",
    "indivisible_heads": "crash",
}
TASKS = tuple(RIGHT_SYMPTOMS)


class InProcessStudent:
    """Stands in for the `student` fixture: the same calls, no wall."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self._namespace = namespace
        self.calls: list[Observation] = []

    def __getattr__(self, name: str) -> "InProcessFunction":
        return InProcessFunction(name, self._namespace, self.calls)

    def value(self, name: str) -> Any:
        if name not in self._namespace:
            raise NotDefined(name)
        return self._namespace[name]


class InProcessFunction:
    def __init__(self, name: str, namespace: dict[str, Any], calls: list[Observation]) -> None:
        self.name, self._namespace, self._calls = name, namespace, calls

    def __call__(self, *args: Any) -> Any:
        if self.name not in self._namespace:
            raise NotDefined(self.name)
        try:
            got = _sent(self._namespace[self.name](*map(_sent, args)))
        except Exception as exception:
            error = StudentError(type(exception).__name__, str(exception))
            self._calls.append(Observation(args, {}, error))
            raise error from exception
        self._calls.append(Observation(args, {}, got))
        return got


def _sent(value: Any) -> Any:
    """Copy a value as the way through the wall does."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, tuple):
        return tuple(map(_sent, value))
    return {key: _sent(part) for key, part in value.items()} if isinstance(value, dict) else value


def solver(task: str, function: Callable[..., Any]) -> InProcessStudent:
    """A student who names every symptom right and wrote one function."""
    symptoms = {f"{name}_symptom": symptom for name, symptom in RIGHT_SYMPTOMS.items()}
    return InProcessStudent({**symptoms, task: function})


def model_student() -> InProcessStudent:
    symptoms = {f"{name}_symptom": symptom for name, symptom in RIGHT_SYMPTOMS.items()}
    return InProcessStudent({**symptoms, **{name: getattr(bug_hunt, name) for name in TASKS}})


@dataclass(frozen=True)
class HiddenTest:
    task: str
    points: float
    name: str
    run: Callable[[Any, Draw], None]


@cache
def hidden_module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hidden_bug_hunt", ROOT / "autograder/hidden/test_bug_hunt.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def hidden_tests(task: str | None = None) -> list[HiddenTest]:
    functions = {name: f for name, f in vars(hidden_module()).items() if name.startswith("test_")}
    marked = [(name, f, mark) for name, f in functions.items() for mark in f.pytestmark if mark.name == "task"]
    tests = [HiddenTest(mark.kwargs["name"], mark.kwargs["points"], name, f) for name, f, mark in marked]
    return [test for test in tests if task in (None, test.task)]


def failures(task: str, student: InProcessStudent, seed: int) -> dict[str, Exception]:
    """Run the hidden tests of a task; name of the test -> what it raised."""
    found: dict[str, Exception] = {}
    for test in hidden_tests(task):
        try:
            test.run(student, Draw(seed))
        except (AssertionError, StudentFailure) as error:
            found[test.name] = error
    return found


def score(task: str, student: InProcessStudent, seed: int = 0) -> float:
    failed = failures(task, student, seed)
    return sum(test.points for test in hidden_tests(task) if test.name not in failed)


def mismatches(task: str, student: InProcessStudent, seed: int) -> list[Mismatch]:
    return [error for error in failures(task, student, seed).values() if isinstance(error, Mismatch)]


def diagnosed(task: str, student: InProcessStudent, seed: int) -> set[str]:
    """Ids of the mistakes that diagnosis names."""
    student.calls.clear()
    failed = [Observation(m.inputs, m.named_inputs, m.got) for m in mismatches(task, student, seed)]
    return {mistake.id for mistake in matching(BANK, task, failed, student.calls)}


@cache
def text_cells() -> tuple[TextCell, ...]:
    return tuple(read_text_notebook(ROOT / "assignments/bug_hunt/bug_hunt.py"))


def release_source(cell: TextCell) -> str:
    return stub_of(cell.source) if cell.kind == "solution" else cell.source


def handed_out(task: str) -> dict[str, Any]:
    """The names a student has after running the locked cells and one solution cell as released."""
    namespace: dict[str, Any] = {}
    for cell in text_cells():
        if cell.kind == "locked" or (cell.kind, cell.name) == ("solution", task):
            exec(release_source(cell), namespace)
    return namespace
