"""Hosts the hidden pytest graders: collected once, run again for every submission."""

from __future__ import annotations

import contextlib
import gc
import io
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar, cast

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


class HiddenTests:
    """The collected hidden tests of an assignment; valid while `hidden_tests` runs its body."""

    def __init__(self, body: Callable[[HiddenTests], None]) -> None:
        self._body = body
        self._session: pytest.Session | None = None
        self._students: dict[str, Student] = {}
        self._errors: dict[str, BaseException] = {}
        self.failure: BaseException | None = None
        self.collection_errors: list[str] = []

    @property
    def tests(self) -> list[HiddenTest]:
        """All hidden tests in the order of the file."""
        assert self._session is not None
        return [_hidden_test(item) for item in self._session.items]

    @property
    def prerequisites(self) -> Mapping[str, Sequence[str]]:
        """Task -> tasks that its answer may build on, as `PREREQUISITES` in the file says."""
        assert self._session is not None
        found: dict[str, Sequence[str]] = {}
        for item in self._session.items:
            found |= getattr(getattr(item, "module", None), "PREREQUISITES", {})
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
        assert self._session is not None
        self._students = {}
        outcomes: list[Outcome] = []
        items = [item for item in self._session.items if task in (None, _hidden_test(item).task)]
        for item, following in zip(items, [*items[1:], None], strict=True):
            self._errors.clear()
            test = _hidden_test(item)
            student = self._students.setdefault(test.task, Student(process))
            student.calls.clear()
            student.advice.clear()
            with contextlib.redirect_stdout(io.StringIO()):  # a stray print would end up among JSON lines
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            error = self._errors.get("setup") or self._errors.get("call") or self._errors.get("teardown")
            if isinstance(error, JailUnavailable):
                raise error
            outcomes.append(Outcome(test, error, tuple(student.calls), tuple(student.advice)))
        return outcomes

    @pytest.fixture
    def student(self, request: pytest.FixtureRequest) -> Student:
        """What the student's notebook defines, behind the wall."""
        return self._students[_hidden_test(request.node).task]

    @pytest.fixture
    def draw(self) -> Draw:
        """Fresh random inputs."""
        return Draw()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> pytest.TestReport:
        """Keep the exception of a phase; pytest's own account of it, which nobody reads, costs more than the test."""
        if call.excinfo is not None:
            self._errors[call.when] = call.excinfo.value
        outcome: Literal["passed", "failed"] = "passed" if call.excinfo is None else "failed"
        when = cast(Literal["setup", "call", "teardown"], call.when)
        return pytest.TestReport(item.nodeid, item.location, {}, outcome, longrepr=None, when=when)

    def pytest_configure(self, config: pytest.Config) -> None:
        """Register the marker behind `@task`, and have no tracebacks written."""
        config.addinivalue_line("markers", "task(name, points): the task a hidden test belongs to")
        # Nobody reads pytest's tracebacks here, and to write out tensors and sources would take most of the time.
        config.option.tbstyle = "no"

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
        self._session = session
        gc.freeze()  # torch's own objects live on; looking through them again and again would cost a tenth of a grading
        try:
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


def _hidden_test(item: pytest.Item) -> HiddenTest:
    marker = item.get_closest_marker("task")
    if marker is None or not {"name", "points"} <= marker.kwargs.keys():
        raise UsageError(_("{test}: a hidden test without @task(name, points)").format(test=item.nodeid))
    kept_for = marker.kwargs.get("kept_for", "")
    return HiddenTest(marker.kwargs["name"], float(marker.kwargs["points"]), item.name, kept_for)


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
