"""Grades a class and shows it: progress while it runs, a table of scores and mistakes at the end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from headcheck.course.config import find_course
from headcheck.errors import UsageError
from headcheck.gradebook.class_run import ClassResult, ClassRun
from headcheck.gradebook.staging import Handed
from headcheck.grading.verdict import Verdict
from headcheck.i18n import _
from headcheck.report.table import class_table, visible


def grade_class(
    folder: Path, assignments: Sequence[str], student: str | None, console: Console, progress_console: Console
) -> int:
    """Grade assignments of a class and print what came of it.

    Args:
        folder: class folder with `submitted/`.
        assignments: the assignments.
        student: only this one.
        console: for the table.
        progress_console: for the progress bar.

    Returns:
        Exit status: 0, or 1 when some scores could not be entered in the gradebook.

    Raises:
        UsageError: unknown assignment, no submissions; nothing was graded then.
    """
    if not folder.is_dir():
        raise UsageError(_("{folder}: no such folder").format(folder=folder))
    course = find_course(folder)
    runs = [ClassRun(folder, course, name) for name in assignments]
    handed = [run.submissions(student) for run in runs]
    results = []
    with _progress(progress_console) as progress:
        for run, submissions in zip(runs, handed, strict=True):
            results.append(_with_progress(run, submissions, progress))
    console.print(_table(results, course.name))
    return _closing(results, console)


def _progress(console: Console) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console)


def _with_progress(run: ClassRun, submissions: list[Handed], progress: Progress) -> ClassResult:
    bar = progress.add_task(run.assignment, total=len(submissions))

    def each(one: Handed, verdict: Verdict) -> None:
        progress.update(bar, advance=1, description=f"{run.assignment} {escape(visible(one.student))}")

    result = run.grade(submissions, each)
    progress.update(bar, description=run.assignment)
    return result


def _table(results: Sequence[ClassResult], title: str) -> object:
    verdicts: dict[str, dict[str, Verdict]] = {}
    for result in results:
        for student, verdict in result.verdicts.items():
            verdicts.setdefault(student, {})[result.assignment] = verdict
    return class_table(title, verdicts, [result.assignment for result in results])


def _closing(results: Sequence[ClassResult], console: Console) -> int:
    failed = 0
    for result in results:
        for student, reason in result.not_entered.items():
            failed += 1
            text = _("{student}, {assignment}: no score was entered: {reason}").format(
                student=student, assignment=result.assignment, reason=reason
            )
            console.print(escape(visible(text)), style="red")
    console.print(_("gradebook: {path}").format(path=escape(results[0].database)), soft_wrap=True)
    console.print(_("feedback:  {path}").format(path=escape(str(results[0].feedback.resolve()))), soft_wrap=True)
    return 1 if failed else 0
