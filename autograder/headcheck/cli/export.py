"""`headcheck export`: take the scores out of the gradebook."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from headcheck.cli.common import CLASS_OPTION, FILE, complain, main, one_line_errors
from headcheck.i18n import _

NEW_FILE = click.Path(dir_okay=False, path_type=Path)

OUTPUT_OPTION = click.option("-o", "--output", type=NEW_FILE, help=_("File to write (else standard output)."))


@main.group()
def export() -> None:
    """Write scores as CSV, or fill them into the gradebook file of Canvas or Moodle."""


@export.command("csv")
@click.argument("assignments", nargs=-1, metavar="[ASSIGNMENT]...")
@CLASS_OPTION
@OUTPUT_OPTION
@click.option("--excel", is_flag=True, help=_("Begin with a byte order mark; Excel needs it to read letters like ş."))
@one_line_errors
def export_csv(assignments: tuple[str, ...], folder: Path | None, output: Path | None, excel: bool) -> int:
    """Write one row per student and task, of all assignments or those named."""
    from headcheck.gradebook.export.folder import class_csv

    text = class_csv(folder or Path.cwd(), assignments)
    _write(output, text.encode("utf-8-sig" if excel else "utf-8"))
    return 0


@export.command("lms")
@click.argument("gradebook", type=FILE, metavar="GRADEBOOK.csv")
@click.option("--assignment", required=True, help=_("The assignment whose scores are filled in."))
@click.option(
    "--column", help=_("Column to fill in, with or without the number in parentheses (else: the assignment).")
)
@click.option("--match", help=_("The one column to find students by (else: all ids, logins and e-mail addresses)."))
@click.option("--map", "mapping", type=FILE, help=_("CSV of two columns: student id here, what GRADEBOOK.csv has."))
@click.option("--out-of", type=click.FloatRange(min=0, min_open=True), help=_("Points to scale full marks to."))
@CLASS_OPTION
@OUTPUT_OPTION
@one_line_errors
def export_lms(
    gradebook: Path,
    assignment: str,
    column: str | None,
    match: str | None,
    mapping: Path | None,
    out_of: float | None,
    folder: Path | None,
    output: Path | None,
) -> int:
    """Fill scores into a gradebook that Canvas or Moodle exported; all else stays byte for byte."""
    from headcheck.gradebook.export.folder import fill_lms
    from headcheck.report.filled import account

    filled, entries = fill_lms(folder or Path.cwd(), assignment, gradebook, column, match, mapping, out_of)
    _write(output, filled.data)
    _tell(account(filled, entries, out_of))
    return 0


def _tell(lines: Iterable[str]) -> None:
    for line in lines:
        complain(line)


def _write(output: Path | None, data: bytes) -> None:
    from headcheck.course.files import write_atomically
    from headcheck.errors import UsageError

    if output is None:
        click.echo(data, nl=False)
        return
    try:
        write_atomically(output, data)
    except OSError as error:
        raise UsageError(_("{path}: cannot be written: {error}").format(path=output, error=error.strerror)) from error
