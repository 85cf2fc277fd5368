"""`headcheck doctor`: what this machine can do."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from headcheck.cli.common import COURSE_OPTION, main, one_line_errors


@main.command()
@COURSE_OPTION
@one_line_errors
def doctor(folder: Path | None) -> int:
    """Show how well this machine can confine student code, and try it."""
    from headcheck.doctor import examine

    return examine(folder, Console(highlight=False))
