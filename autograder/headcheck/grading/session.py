"""Hosts the hidden pytest graders: collected once, run again for every submission."""

from __future__ import annotations

import contextlib
import gc
import inspect
import io
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest
import torch

from headcheck.course.config import Course
from headcheck.diagnosis.match import Observation
from headcheck.errors import UsageError
from headcheck.grading.draw import Draw
from headcheck.grading.local import LocalProcess
from headcheck.grading.process import StudentProcess
from headcheck.grading.student import Student
from headcheck.i18n import _
from headcheck.jail.errors import JailUnavailable

T = TypeVar("T")

VARIABLES = ("PYTEST_ADDOPTS", "PYTEST_DISABLE_PLUGIN_AUTOLOAD", "PYTEST_PLUGINS")
"""What pytest reads from the environment."""

OPTIONS = [
    "--noconftest",
    "--assert=plain",
    "--capture=no",
    "--strict-markers",
    *(
        option
        for plugin in (
            "terminal",
            "cacheprovider",
            "doctest",
            "faulthandler",
            "junitxml",
            "logging",
            "pastebin",
            "stepwise",
        )
        for option in ("-p", f"no:{plugin}")
    ),
    # These two collect garbage ten times over torch's heap after every run: 0.18 s of 0.21 s.
    "-p",
    "no:unraisableexception",
    "-p",
    "no:threadexception",
]


@dataclass(frozen=True)
class HiddenTest:
    """One hidden test: which task it belongs to and what it is worth."""

    task: str
    points: float
    name: str
    kept_for: str = ""
    """Why it stays although no known mistake fails it alone."""


@dataclass(frozen=True)
class Outcome:
    """How one hidden test ended for one submission."""

    test: HiddenTest
    error: BaseException | None
    """None when the test passed."""
    calls: tuple[Observation, ...] = ()
    """The calls of student functions that it made."""
    advice: tuple[str, ...] = ()
    """Ids of mistakes that it found and that cost no points."""


@dataclass(frozen=True)
class _Collected:
    """A hidden test as pytest collected it."""

    test: HiddenTest
    function: Callable[..., object]
    takes: tuple[str, ...]
    """Which of `student` and `draw` it takes."""
    case: Mapping[str, Any]
    """What `parametrize` gives it."""
    prerequisites: Mapping[str, Sequence[str]]

    def ends_with(self, student: Student) -> BaseException | None:
        """Run it on fresh numbers; return the error that it ended with."""
        offered = {"student": student, "draw": Draw()}
        try:
            with contextlib.redirect_stdout(io.StringIO()):  # a stray print would end up among JSON lines
                self.function(**self.case, **{name: offered[name] for name in self.takes})
        except (JailUnavailable, KeyboardInterrupt):
            raise
        except BaseException as error:  # pytest's own, such as that of `fail`, are no `Exception`
            return error
        return None


class HiddenTests:
    """The collected hidden tests of an assignment; valid while `hidden_tests` runs its body.

    pytest finds them; they are called without its fixtures and hooks, which would cost more than the tests themselves.
    """

    def __init__(self, body: Callable[[HiddenTests], None]) -> None:
        self._body = body
        self._collected: list[_Collected] = []
        self.failure: BaseException | None = None
        self.collection_errors: list[str] = []

    @property
    def tests(self) -> list[HiddenTest]:
        """All hidden tests in the order of the file."""
        return [each.test for each in self._collected]

    @property
    def prerequisites(self) -> Mapping[str, Sequence[str]]:
        """Task -> tasks that its answer may build on, as `PREREQUISITES` in the file says."""
        found: dict[str, Sequence[str]] = {}
        for each in self._collected:
            found |= each.prerequisites
        return found

    def points(self) -> dict[str, float]:
        """Add up the points of each task's hidden tests."""
        points: dict[str, float] = {}
        for test in self.tests:
            points[test.task] = points.get(test.task, 0.0) + test.points
        return points

    def run(self, process: StudentProcess | LocalProcess, task: str | None = None) -> list[Outcome]:
        """Run every hidden test against one submission.

        Args:
            process: the student's process, cells run.
            task: run the tests of this task alone.

        Returns:
            One outcome per test.

        Raises:
            JailUnavailable: the jail broke down; nothing may be concluded about the submission.
        """
        students: dict[str, Student] = {}
        outcomes: list[Outcome] = []
        for each in self._collected:
            if task not in (None, each.test.task):
                continue
            student = students.setdefault(each.test.task, Student(process))
            student.calls.clear()
            student.advice.clear()
            error = each.ends_with(student)
            outcomes.append(Outcome(each.test, error, tuple(student.calls), tuple(student.advice)))
        return outcomes

    def pytest_configure(self, config: pytest.Config) -> None:
        """Register the marker behind `@task`."""
        config.addinivalue_line("markers", "task(name, points): the task a hidden test belongs to")

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Iterator[None]:
        """Import the file of hidden tests without letting it print."""
        with contextlib.redirect_stdout(io.StringIO()):
            return (yield)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Remember what could not be collected."""
        if report.failed:
            self.collection_errors.append(str(report.longrepr).strip().splitlines()[-1].removeprefix("E").strip())

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Hand the collected tests to the body instead of running them once."""
        if self.collection_errors or not session.items:
            return True
        gc.freeze()  # torch's own objects live on; looking through them again and again would cost a tenth of a grading
        try:
            self._collected = [_collected(item) for item in session.items]
            self._body(self)
        except BaseException as error:
            self.failure = error
        return True


def hidden_tests(course: Course, assignment: str, body: Callable[[HiddenTests], T]) -> T:
    """Collect the hidden tests of an assignment and work with them.

    pytest holds its session inside one call, hence a body instead of a return value.

    Args:
        course: the course.
        assignment: name of the assignment.
        body: called once with the collected tests.

    Returns:
        What the body returns.

    Raises:
        UsageError: there are none, or the file cannot be collected.
    """
    path = course.hidden_file(assignment)
    if not path.is_file():
        raise UsageError(_("{path}: no hidden graders for {assignment}").format(path=path, assignment=assignment))
    course.make_importable()
    torch.set_num_threads(1)  # the tensors are tiny, and a second thread makes each operation many times slower
    results: list[T] = []
    plugin = HiddenTests(lambda tests: results.append(body(tests)))
    _run_pytest(path, course.root, plugin)
    if plugin.failure is not None:
        raise plugin.failure
    if plugin.collection_errors:
        raise UsageError(f"{path}: {plugin.collection_errors[0]}")
    if not results:
        raise UsageError(_("{path}: pytest found no hidden test").format(path=path))
    return results[0]


def hidden_points(course: Course, assignment: str) -> dict[str, float]:
    """Add up the points of the hidden tests.

    Args:
        course: the course.
        assignment: name of the assignment.

    Returns:
        Task -> points of its hidden tests.

    Raises:
        UsageError: as `hidden_tests`.
    """

    return hidden_tests(course, assignment, lambda tests: tests.points())


def _collected(item: pytest.Item) -> _Collected:
    """Take over what pytest collected, unless only pytest could run it."""
    assert isinstance(item, pytest.Function)
    marker = item.get_closest_marker("task")
    if marker is None or not {"name", "points"} <= marker.kwargs.keys():
        raise UsageError(_("{test}: a hidden test without @task(name, points)").format(test=item.nodeid))
    case: dict[str, Any] = dict(item.callspec.params) if hasattr(item, "callspec") else {}
    takes = tuple(name for name in inspect.signature(item.obj).parameters if name not in case)
    marks = {mark.name for mark in item.iter_markers()}
    if not marks <= {"task", "parametrize"} or not {*takes} <= {"student", "draw"}:
        raise UsageError(
            _(
                "{test}: a hidden test takes `student`, `draw` and what `parametrize` gives it, and is never skipped"
            ).format(test=item.nodeid)
        )
    test = HiddenTest(
        marker.kwargs["name"], float(marker.kwargs["points"]), item.name, marker.kwargs.get("kept_for", "")
    )
    return _Collected(test, item.obj, takes, case, getattr(item.module, "PREREQUISITES", {}))


def _run_pytest(path: Path, root: Path, plugin: HiddenTests) -> None:
    """Run pytest so that neither a user's configuration nor other plugins have a say, and silently."""
    kept = {name: os.environ.pop(name, None) for name in VARIABLES}
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    try:
        pytest.main([*OPTIONS, "-c", os.devnull, "--rootdir", str(root), str(path)], plugins=[plugin])
    finally:
        for name, value in kept.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
