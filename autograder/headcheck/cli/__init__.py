"""The `headcheck` command: one subcommand per verb; importing a module adds its commands."""

from headcheck.cli import author, check, doctor, export, grade, quiz, quiz_site  # noqa: F401
from headcheck.cli.common import main

__all__ = ["main"]
