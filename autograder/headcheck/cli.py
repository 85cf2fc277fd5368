"""The `headcheck` command: one subcommand per verb."""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from headcheck import __version__
from headcheck.course.config import HINTS, HINTS_VARIABLE
from headcheck.errors import UsageError
from headcheck.i18n import _

EXIT_UNUSABLE = 2

FOLDER = click.Path(file_okay=False, path_type=Path)
FILE = click.Path(path_type=Path)


def one_line_errors(command: Callable[..., int]) -> Callable[..., None]:
    """Turn an error that a person can mend into one line on stderr and exit status 2."""

    @functools.wraps(command)
    def wrapped(*args: Any, **kwargs: Any) -> None:
        from headcheck.jail.errors import JailUnavailable

        try:
            status = command(*args, **kwargs)
        except (UsageError, JailUnavailable) as error:
            complain(str(error))
            status = EXIT_UNUSABLE
        sys.exit(status)

    return wrapped


def complain(message: str) -> None:
    """Print one line on stderr, free of control characters."""
    line = "".join(c if c.isprintable() else " " for c in message)
    click.echo(f"headcheck: {line}", err=True)


class OneLineGroup(click.Group):
    """A group whose usage errors are one line, like all others."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command line; see `click.Group.main`."""
        try:
            return super().main(*args, **{**kwargs, "standalone_mode": False})
        except click.ClickException as error:
            complain(_("{message} Try `headcheck --help`.").format(message=error.format_message()))
            sys.exit(EXIT_UNUSABLE)
        except click.Abort:
            sys.exit(130)


def _trust(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        os.environ["HEADCHECK_TRUST_SUBMISSIONS"] = "1"  # for the jail, in this process and those it starts


def _hints(context: click.Context, option: click.Parameter, value: str | None) -> None:
    """Remember for this run how much students are told."""
    if value is not None:
        os.environ[HINTS_VARIABLE] = value


HINTS_OPTION = click.option(
    "--hints",
    type=click.Choice(HINTS),
    expose_value=False,
    callback=_hints,
    help=_("How much students are told, whatever headcheck.toml says: what was seen, also where, also the name."),
)


TRUST_OPTION = click.option(
    "--trust-submissions",
    is_flag=True,
    expose_value=False,
    callback=_trust,
    help=_("Run student code even where it cannot be confined; every verdict will say so."),
)


@click.group(cls=OneLineGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="headcheck")
@click.pass_context
def main(context: click.Context) -> None:
    """Grade a course on multi-head attention and name the mistakes."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@main.command()
@click.argument("assignments", nargs=-1)
@click.option("--check", is_flag=True, help=_("Write nothing; fail when the committed notebooks are stale."))
@click.option("--course", "folder", type=FOLDER, help=_("Course folder (with headcheck.toml)."))
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
@click.option("--course", "folder", type=FOLDER, help=_("Course folder (with headcheck.toml)."))
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


@main.command()
@click.argument("notebooks", nargs=-1, required=True, type=FILE)
@click.option("--json", "as_json", is_flag=True, help=_("One JSON object a line."))
@click.option("--course", "folder", type=FOLDER, help=_("Course folder (with headcheck.toml)."))
@HINTS_OPTION
@TRUST_OPTION
@one_line_errors
def check(notebooks: tuple[Path, ...], as_json: bool, folder: Path | None) -> int:
    """Grade notebooks without a gradebook and say what is wrong."""
    from headcheck.jail.launcher import launch_ahead

    launch_ahead()  # before the slow imports: it imports torch at the same time
    from headcheck.grading.check import check_notebooks
    from headcheck.report.table import print_verdict

    console = Console(highlight=False)
    unusable = 0
    for found in check_notebooks(folder, notebooks):
        if isinstance(found, UsageError):
            complain(str(found))
            unusable += 1
        elif as_json:
            click.echo(json.dumps(found.to_json(), ensure_ascii=True))
        else:
            print_verdict(found, console)
    return EXIT_UNUSABLE if unusable else 0


@main.command()
@click.argument("assignments", nargs=-1, required=True, metavar="ASSIGNMENT...")
@click.option("--course", "folder", type=FOLDER, help=_("Class folder with submitted/ (else the working folder)."))
@click.option("--student", help=_("Grade only this student."))
@HINTS_OPTION
@TRUST_OPTION
@one_line_errors
def grade(assignments: tuple[str, ...], folder: Path | None, student: str | None) -> int:
    """Grade the submissions of a class: autograded/, gradebook.db and feedback/."""
    from headcheck.jail.launcher import launch_ahead

    launch_ahead()  # before the slow imports: it imports torch at the same time
    from headcheck.report.class_report import grade_class

    return grade_class(folder or Path.cwd(), assignments, student, Console(highlight=False), Console(stderr=True))


@main.command()
@click.option("--course", "folder", type=FOLDER, help=_("Course folder (with headcheck.toml)."))
@one_line_errors
def doctor(folder: Path | None) -> int:
    """Show how well this machine can confine student code, and try it."""
    from headcheck.doctor import examine

    return examine(folder, Console(highlight=False))
