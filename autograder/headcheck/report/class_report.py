"""Grades a class and shows it: progress while it runs, then a table of scores and mistakes."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from headcheck.course.config import Course, find_course
from headcheck.errors import UsageError
from headcheck.gradebook.classes.flow import Flow, Workers
from headcheck.gradebook.classes.run import ClassResult, ClassRun, Survey
from headcheck.grading.verdict import Verdict
from headcheck.i18n import _
from headcheck.report.table import class_table, visible
from headcheck.report.watching import Watcher, bars

MANY = 100
"""In a class of so many it pays to make more ready; and some draw although the course does not ask for it."""


@dataclass(frozen=True)
class Wanted:
    """What a person asked for."""

    folder: Path
    """Class folder with `submitted/`."""
    assignments: Sequence[str]
    student: str | None = None
    """Only this one."""
    workers: int | None = None
    """How many processes grade at a time; one for each core when None."""
    regrade: bool = False
    shard: tuple[int, int] | None = None
    """Make the verdicts of part k of n only, and enter nothing."""
    dask: str | None = None
    """Address of a scheduler whose workers grade."""
    merge: bool = False
    """Grade nothing, enter the verdicts of all shards."""
    as_json: bool = False


def grade_class(wanted: Wanted, console: Console, progress_console: Console) -> int:
    """Grade assignments of a class and print what came of it.

    Args:
        wanted: what is to be done.
        console: for the table.
        progress_console: for the progress bars and remarks.

    Returns:
        Exit status: 0, or 1 when some scores could not be entered in the gradebook.

    Raises:
        UsageError: unknown assignment, no submissions, unusable configuration.
        JailUnavailable: student code cannot be run here.
    """
    if not wanted.folder.is_dir():
        raise UsageError(_("{folder}: no such folder").format(folder=wanted.folder))
    course = find_course(wanted.folder)
    progress = bars(progress_console)
    watchers = [Watcher(name, progress, wanted.as_json) for name in wanted.assignments]
    runs = [
        ClassRun(wanted.folder, course, name, watcher)
        for name, watcher in zip(wanted.assignments, watchers, strict=True)
    ]
    surveys = [_survey(run, watcher, wanted) for run, watcher in zip(runs, watchers, strict=True)]
    with progress, _workers(course, surveys, wanted) as (makers, writers):  # bars only when there is nothing to mend
        results = [_carry_out(run, survey, makers, writers, wanted) for run, survey in zip(runs, surveys, strict=True)]
    if not wanted.as_json:
        console.print(_table(results, course.name))
    return _closing(results, wanted, progress_console if wanted.as_json else console)


def _survey(run: ClassRun, watcher: Watcher, wanted: Wanted) -> Survey:
    handed = run.submissions(wanted.student)
    if wanted.shard is not None:
        number, count = wanted.shard
        handed = handed[number - 1 :: count]
    watcher.expect(len(handed), enters=wanted.shard is None)
    return run.survey(handed, wanted.regrade, elsewhere=wanted.merge)


def _carry_out(run: ClassRun, survey: Survey, makers: Workers, writers: Workers | None, wanted: Wanted) -> ClassResult:
    missing = [one.handed.student for one in survey.to_grade] if wanted.merge else []
    if wanted.merge:
        survey.to_grade = []
    result = Flow(run, survey, makers, writers).carry_out()
    reason = _("there is no verdict on what was handed in; grade its shard")
    result.not_entered.update(dict.fromkeys(missing, reason))
    return result


@contextlib.contextmanager
def _workers(course: Course, surveys: Sequence[Survey], wanted: Wanted) -> Iterator[tuple[Workers, Workers | None]]:
    """Start as many workers as there is use for."""
    from headcheck.grading.pool import Pool

    to_grade = 0 if wanted.merge else sum(len(survey.to_grade) for survey in surveys)
    to_enter = 0 if wanted.shard else sum(len(survey.to_enter) for survey in surveys)
    count = min(wanted.workers or len(os.sched_getaffinity(0)), to_grade + to_enter)
    preload = () if wanted.shard else ("headcheck.report.warm",)
    if wanted.dask is not None and to_grade:
        from headcheck.grading.cluster import Cluster

        with Cluster(course, wanted.dask) as cluster, Pool(course, count, grades=False, preload=preload) as pool:
            yield cluster, None if wanted.shard else pool
    else:
        likely = set().union(*map(course.likely, wanted.assignments))
        if to_grade >= MANY:
            likely |= {"drawing", "many"}
        with Pool(course, count, to_grade > 0, sorted(likely), preload) as pool:
            yield pool, None if wanted.shard else pool


def _table(results: Sequence[ClassResult], title: str) -> object:
    verdicts: dict[str, dict[str, Verdict]] = {}
    for result in results:
        for student, verdict in result.verdicts.items():
            verdicts.setdefault(student, {})[result.assignment] = verdict
    return class_table(title, verdicts, [result.assignment for result in results])


def _closing(results: Sequence[ClassResult], wanted: Wanted, console: Console) -> int:
    for result in results:
        counts = _("{assignment}: {fresh} graded now, {kept} verdicts kept").format(
            assignment=result.assignment, fresh=result.fresh, kept=len(result.verdicts) - result.fresh
        )
        console.print(escape(counts))
        for student, (before, now) in result.changed.items():
            text = _("{student}: {before:g} points became {now:g}").format(student=student, before=before, now=now)
            console.print(escape(visible(text)), soft_wrap=True)
        for student, reason in result.not_entered.items():
            text = _("{student}, {assignment}: no score was entered: {reason}").format(
                student=student, assignment=result.assignment, reason=reason
            )
            console.print(escape(visible(text)), style="red", soft_wrap=True)
    if wanted.shard is None:
        console.print(_("gradebook: {path}").format(path=escape(results[0].database)), soft_wrap=True)
        console.print(_("feedback:  {path}").format(path=escape(str(results[0].feedback.resolve()))), soft_wrap=True)
    return 1 if any(result.not_entered for result in results) else 0
