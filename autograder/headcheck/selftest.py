"""The grader graded: known mistakes are rejected and named, right answers pass, every hidden test is needed."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import io
import itertools
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headcheck.course.assignment import load_assignment
from headcheck.course.config import Course
from headcheck.course.submission import read_submission
from headcheck.diagnosis.match import Bank, load_bank
from headcheck.grading.diagnose import diagnose
from headcheck.grading.local import LocalProcess
from headcheck.grading.session import HiddenTest, HiddenTests, Outcome, hidden_tests
from headcheck.i18n import _

TABLE = Path("docs") / "kill-table.md"

Namespace = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """An answer to a task of which it is known what should come of it."""

    name: str
    mistake: str | None
    """Id of the mistake in it; None when it is right."""
    define: Callable[[Namespace], None]
    """Puts the answer into a namespace in the place of the model answer."""


@dataclass(frozen=True, eq=False)
class Result:
    """What came of one case."""

    case: Case
    failed: frozenset[str]
    """Names of the hidden tests that it failed."""
    ids: frozenset[str]
    """Mistakes that were named."""
    advice: frozenset[str] = frozenset()


@dataclass
class TaskReport:
    """What came of all cases of one task."""

    assignment: str
    task: str
    tests: list[HiddenTest]
    results: list[Result] = field(default_factory=list)

    def misses(self, inseparable: Sequence[frozenset[str]]) -> list[str]:
        """List what is not as it should be."""
        found = []
        for result in self.results:
            if problem := _problem(result, inseparable):
                found.append(f"{self.task}: {result.case.name}: {problem}")
        for test in self.tests:
            if not test.kept_for and any(r.case.mistake for r in self.results) and not self.needs(test):
                found.append(
                    _("{task}: {test} is not needed: every known mistake fails another test too").format(
                        task=self.task, test=test.name
                    )
                )
        return found

    def needs(self, test: HiddenTest) -> bool:
        """Tell whether some mistake fails this test alone, those aside that are kept for other reasons."""
        kept = {other.name for other in self.tests if other.kept_for}
        return any(result.failed - kept == {test.name} for result in self.results if result.case.mistake)


def _problem(result: Result, inseparable: Sequence[frozenset[str]]) -> str | None:
    wanted = result.case.mistake
    if wanted is None:
        return _("a right answer fails {tests}").format(tests=", ".join(result.failed)) if result.failed else None
    if wanted in result.advice and not result.failed:
        return None
    if not result.failed:
        return _("it passes")
    if wanted not in result.ids:
        return _("it is not named (but {names})").format(names=", ".join(sorted(result.ids)) or _("nothing"))
    if result.ids != {wanted} and not any(result.ids <= together for together in inseparable):
        return _("it cannot be told from {names}").format(names=", ".join(sorted(result.ids - {wanted})))
    return None


def selftest(course: Course, names: Iterable[str], rounds: int = 1) -> tuple[list[TaskReport], list[str]]:
    """Grade the graders of some assignments.

    Args:
        course: the course.
        names: assignments.
        rounds: how often each case is tried, with fresh inputs.

    Returns:
        A report for every task, and what is not as it should be.
    """
    bank = load_bank(course)
    together = [frozenset(ids) for ids, _reason in _course_part("INSEPARABLE", ())]
    reports: list[TaskReport] = []
    for name in names:
        reports += hidden_tests(course, name, lambda tests, name=name: _assignment(course, name, bank, tests, rounds))  # type: ignore[misc]
    return reports, [miss for report in reports for miss in report.misses(together)]


def _course_part(name: str, default: Any) -> Any:
    """Return what the course's bank says beside the mistakes themselves."""
    try:
        return getattr(importlib.import_module("solutions.mistakes"), name, default)
    except ModuleNotFoundError:
        return default


def _assignment(course: Course, name: str, bank: Bank, tests: HiddenTests, rounds: int) -> list[TaskReport]:
    assignment = load_assignment(course, name)
    model: Namespace = {"__name__": "__main__"}
    os.environ["NBGRADER_EXECUTION"] = "autograde"  # as in the jail: notebooks shorten their experiments by it
    for cell in read_submission(course.source_file(name), assignment).cells:
        if cell.runs and cell.kind != "tests":
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(cell.source, f"<{name}>", "exec"), model)  # our own notebook
    reports = []
    for task in assignment.tasks:
        if task.manual:
            continue
        report = TaskReport(name, task.name, [test for test in tests.tests if test.task == task.name])
        for case in _cases(course, task.name, bank):
            report.results += [_try(case, task.name, model, bank, tests) for _round in range(rounds)]
        reports.append(report)
    return reports


def _cases(course: Course, task: str, bank: Bank) -> Iterable[Case]:
    yield Case(_("model answer"), None, lambda namespace: None)
    answer = _course_part("ANSWERS", {}).get(task, lambda form: {task: form})
    for mistake in bank.values():
        for number, form in enumerate(mistake.forms(task)):
            yield Case(f"{mistake.id} {number}", mistake.id, _definer(answer(form)))
    for kind in ("correct", "wrong"):
        for path in sorted((course.root / "tests" / "corpus" / task / kind).glob("*.py")):
            mistake_id = path.stem.replace("_", "-") if kind == "wrong" else None
            if not _missing_library(path):
                yield Case(f"{kind}/{path.name}", mistake_id, _runner(path))


def _definer(names: Mapping[str, Any]) -> Callable[[Namespace], None]:
    return lambda namespace: namespace.update(names)


def _runner(path: Path) -> Callable[[Namespace], None]:
    return lambda namespace: exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), namespace)


def _missing_library(path: Path) -> bool:
    """Tell whether an answer needs a library that is not here."""
    source = path.read_text(encoding="utf-8")
    return "einops" in source and importlib.util.find_spec("einops") is None


def _try(case: Case, task: str, model: Namespace, bank: Bank, tests: HiddenTests) -> Result:
    namespace = dict(model)
    case.define(namespace)
    outcomes: list[Outcome] = tests.run(LocalProcess(namespace), task)
    failed = [outcome for outcome in outcomes if outcome.error is not None]
    ids = diagnose(task, outcomes, bank).ids if failed else ()
    said = {name for outcome in failed for name in getattr(outcome.error, "mistakes", ())}
    return Result(
        case,
        frozenset(outcome.test.name for outcome in failed),
        frozenset([*ids, *said]),
        frozenset(name for outcome in outcomes for name in outcome.advice),
    )


def kill_table(reports: Sequence[TaskReport], misses: Sequence[str]) -> str:
    """Write the reports as a page.

    Args:
        reports: of all tasks.
        misses: what is not as it should be.

    Returns:
        Markdown.
    """
    lines = [
        "# Which hidden test catches which mistake",
        "",
        "Written by `headcheck selftest`; do not edit. `x` is a failed test: a known-wrong answer must fail at",
        "least one and be named, a right answer must fail none. A test is needed when some mistake fails it alone.",
        "",
    ]
    for assignment, tasks in itertools.groupby(reports, key=lambda report: report.assignment):
        lines += [f"## {assignment}", ""]
        for report in tasks:
            lines += _table(report)
    lines += ["## Misses", "", *(f"- {miss}" for miss in misses or ["none"]), ""]
    return "\n".join(lines)


def _table(report: TaskReport) -> list[str]:
    wrong = [result for result in report.results if result.case.mistake]
    right = [result for result in report.results if not result.case.mistake]
    lines = [f"### {report.task}", ""]
    for number, test in enumerate(report.tests, start=1):
        needed = ", needed" if report.needs(test) else f", kept for: {test.kept_for}" if test.kept_for else ""
        lines.append(f"{number}. `{test.name}` ({test.points:g} points{needed})")
    passed = sum(not result.failed for result in right)
    lines += ["", f"Right answers that pass: {passed} of {len(right)}.", ""]
    if not wrong:
        return lines
    numbers = range(1, len(report.tests) + 1)
    lines += [f"| answer | {' | '.join(map(str, numbers))} | named |", f"|---|{'---|' * len(report.tests)}---|"]
    for result in dict.fromkeys(wrong):
        marks = " | ".join("x" if test.name in result.failed else " " for test in report.tests)
        names = ", ".join(sorted(result.ids | result.advice)) or "-"
        lines.append(f"| {result.case.name} | {marks} | {names} |")
    return [*lines, ""]
