"""What all commands share: the group, its one-line errors, options that several take."""

from __future__ import annotations

import functools
import gc
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from headcheck import __version__
from headcheck.course.config import HINTS, HINTS_VARIABLE
from headcheck.errors import UsageError
from headcheck.i18n import _
from headcheck.imports import leave_out_string_formats

leave_out_string_formats()
gc.set_threshold(100_000)  # modules and tables last; to look through them every 700 objects takes a tenth of the start

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
        finally:
            gc.freeze()  # or Python would look through all of it once more before it ends


def _trust(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        os.environ["HEADCHECK_TRUST_SUBMISSIONS"] = "1"  # for the jail, in this process and those it starts


def _hints(context: click.Context, option: click.Parameter, value: str | None) -> None:
    """Remember for this run how much students are told."""
    if value is not None:
        os.environ[HINTS_VARIABLE] = value


COURSE_OPTION = click.option("--course", "folder", type=FOLDER, help=_("Course folder (with headcheck.toml)."))

CLASS_OPTION = click.option(
    "--course", "folder", type=FOLDER, help=_("Class folder with submitted/ (else the working folder).")
)

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
