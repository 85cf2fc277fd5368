"""`headcheck grade`, `headcheck merge`: grade a class."""

from __future__ import annotations

import re
from pathlib import Path

import click
from rich.console import Console

from headcheck.cli.common import CLASS_OPTION, HINTS_OPTION, TRUST_OPTION, main, one_line_errors
from headcheck.errors import UsageError
from headcheck.i18n import _

ASSIGNMENTS = click.argument("assignments", nargs=-1, required=True, metavar="ASSIGNMENT...")
JSON_OPTION = click.option("--json", "as_json", is_flag=True, help=_("One JSON object a line for every student."))
WORKERS_OPTION = click.option(
    "--workers", type=click.IntRange(1, 1000), help=_("Processes that work at a time (else one for each core).")
)


@main.command()
@ASSIGNMENTS
@CLASS_OPTION
@click.option("--student", help=_("Grade only this student."))
@WORKERS_OPTION
@click.option("--regrade", is_flag=True, help=_("Grade everything again, and say whose score changed."))
@click.option("--dask", metavar="ADDRESS", help=_("Grade on the workers of this Dask scheduler."))
@click.option("--shard", metavar="K/N", help=_("Grade part K of N of the class; `headcheck merge` enters them."))
@JSON_OPTION
@HINTS_OPTION
@TRUST_OPTION
@one_line_errors
def grade(
    assignments: tuple[str, ...],
    folder: Path | None,
    student: str | None,
    workers: int | None,
    regrade: bool,
    dask: str | None,
    shard: str | None,
    as_json: bool,
) -> int:
    """Grade the submissions of a class: autograded/, the gradebook and feedback/."""
    from headcheck.report.class_report import Wanted, grade_class

    wanted = Wanted(
        folder=folder or Path.cwd(),
        assignments=assignments,
        student=student,
        workers=workers,
        regrade=regrade,
        shard=part(shard) if shard is not None else None,
        dask=dask,
        as_json=as_json,
    )
    return grade_class(wanted, Console(highlight=False), Console(stderr=True))


@main.command()
@ASSIGNMENTS
@CLASS_OPTION
@WORKERS_OPTION
@JSON_OPTION
@HINTS_OPTION
@TRUST_OPTION
@one_line_errors
def merge(assignments: tuple[str, ...], folder: Path | None, workers: int | None, as_json: bool) -> int:
    """Enter what `headcheck grade --shard` found out: autograded/, the gradebook and feedback/."""
    from headcheck.report.class_report import Wanted, grade_class

    wanted = Wanted(folder or Path.cwd(), assignments, workers=workers, merge=True, as_json=as_json)
    return grade_class(wanted, Console(highlight=False), Console(stderr=True))


def part(text: str) -> tuple[int, int]:
    """Read "3/16".

    Args:
        text: what was typed.

    Returns:
        Number of the part, from 1, and how many parts there are.

    Raises:
        UsageError: it is nothing of the kind.
    """
    found = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text)
    number, count = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= number <= count:
        raise UsageError(_("--shard {text}: should be K/N with K from 1 to N, such as 3/16").format(text=text))
    return number, count
