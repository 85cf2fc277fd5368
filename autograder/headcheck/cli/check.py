"""`headcheck check`: grade loose notebooks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from headcheck.cli.common import (
    COURSE_OPTION,
    EXIT_UNUSABLE,
    FILE,
    HINTS_OPTION,
    TRUST_OPTION,
    complain,
    main,
    one_line_errors,
)
from headcheck.errors import UsageError
from headcheck.i18n import _

if TYPE_CHECKING:
    from headcheck.grading.verdict import Verdict


@main.command()
@click.argument("notebooks", nargs=-1, required=True, type=FILE)
@click.option("--json", "as_json", is_flag=True, help=_("One JSON object a line."))
@COURSE_OPTION
@HINTS_OPTION
@TRUST_OPTION
@one_line_errors
def check(notebooks: tuple[Path, ...], as_json: bool, folder: Path | None) -> int:
    """Grade notebooks without a gradebook and say what is wrong."""
    from headcheck.jail.launcher import launch_ahead

    launch_ahead()  # before the slow imports: it imports torch at the same time
    from headcheck.grading.check import check_notebooks
    from headcheck.quiz.bank import remember_mistakes
    from headcheck.report.table import print_verdict

    console = Console(highlight=False)
    unusable = 0
    named: list[str] = []
    for found in check_notebooks(folder, notebooks):
        if isinstance(found, UsageError):
            complain(str(found))
            unusable += 1
        elif as_json:
            click.echo(json.dumps(found.to_json(), ensure_ascii=True))
        else:
            print_verdict(found, console)
            named += _named_mistakes(found)
    if named and (advice := remember_mistakes(named)):
        console.print(advice, markup=False)
    return EXIT_UNUSABLE if unusable else 0


def _named_mistakes(verdict: Verdict) -> list[str]:
    """List the mistakes that the student made, and may know by name, so that the quiz asks about them."""
    wrong = [task for task in verdict.tasks if task.named and task.state not in ("correct", "not_attempted")]
    return [mistake for task in wrong for mistake in task.mistakes]
