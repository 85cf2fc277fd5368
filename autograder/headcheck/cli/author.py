"""Commands for authors: `headcheck build`, `headcheck selftest`."""

from __future__ import annotations

from pathlib import Path

import click

from headcheck.cli.common import COURSE_OPTION, complain, main, one_line_errors
from headcheck.i18n import _


@main.command()
@click.argument("assignments", nargs=-1)
@click.option("--check", is_flag=True, help=_("Write nothing; fail when the committed notebooks are stale."))
@COURSE_OPTION
@one_line_errors
def build(assignments: tuple[str, ...], check: bool, folder: Path | None) -> int:
    """Build source/ and release/ from the text notebooks in assignments/."""
    from headcheck.authoring import build_all

    stale = build_all(folder, assignments, write=not check)
    for path in stale:
        click.echo(_("stale: {path}").format(path=path) if check else _("wrote {path}").format(path=path))
    if check and stale:
        complain(_("{count} notebooks are stale; run `headcheck build`").format(count=len(stale)))
        return 1
    if not stale:
        click.echo(_("all notebooks are up to date"))
    return 0


@main.command()
@click.argument("assignments", nargs=-1)
@click.option("--rounds", type=click.IntRange(1, 100), default=1, help=_("Try every answer so often, on fresh inputs."))
@click.option("--write/--no-write", default=True, help=_("Write docs/kill-table.md."))
@COURSE_OPTION
@one_line_errors
def selftest(assignments: tuple[str, ...], rounds: int, write: bool, folder: Path | None) -> int:
    """Grade the grader: known mistakes must be rejected and named, right answers must pass."""
    from headcheck.course.config import course_at
    from headcheck.selftest import TABLE, kill_table
    from headcheck.selftest import selftest as run

    course = course_at(folder)
    names = [course.require(name) for name in assignments] or list(course.assignments)
    reports, misses = run(course, names, rounds)
    for report in reports:
        click.echo(_("{task}: {count} answers tried").format(task=report.task, count=len(report.results)))
    for miss in misses:
        complain(miss)
    if write and not assignments:
        (course.root / TABLE).write_text(kill_table(reports, misses), encoding="utf-8")
    return 1 if misses else 0
