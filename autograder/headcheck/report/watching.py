"""Shows how a class run goes: bars with counts, rate and time left for people, one JSON object a line for machines."""

from __future__ import annotations

import json

import click
from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from headcheck.grading.verdict import Verdict
from headcheck.i18n import _
from headcheck.report.table import visible


class RateColumn(ProgressColumn):
    """How many are done in a second."""

    def render(self, task: Task) -> Text:
        """Render it; nothing before there is a rate."""
        speed = task.finished_speed or task.speed
        return Text(_("{rate:.1f}/s").format(rate=speed) if speed else "", style="progress.data.speed")


def bars(console: Console) -> Progress:
    """Make the display.

    Args:
        console: where to.

    Returns:
        A context manager; inside it the bars are shown.
    """
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        RateColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
    )


class Watcher:
    """Follows one assignment."""

    def __init__(self, assignment: str, progress: Progress, as_json: bool) -> None:
        self._progress, self._as_json, self._assignment = progress, as_json, assignment
        self._graded = progress.add_task(_("{assignment}: graded").format(assignment=assignment), total=None)
        self._entered = progress.add_task(_("{assignment}: entered").format(assignment=assignment), total=None)

    def expect(self, count: int, enters: bool) -> None:
        """Say how many submissions there are, and whether they will be entered in the gradebook."""
        self._progress.update(self._graded, total=count)
        self._progress.update(self._entered, total=count, visible=enters)

    def graded(self, student: str, verdict: Verdict) -> None:
        """Count a verdict, and print it for machines."""
        self._progress.advance(self._graded)
        if self._as_json:
            click.echo(json.dumps({"student": student, **verdict.to_json()}, ensure_ascii=True))

    def entered(self, student: str) -> None:
        """Count a student whose points and pages are stored."""
        self._progress.advance(self._entered)

    def warn(self, text: str) -> None:
        """Print a line above the bars."""
        self._progress.console.print(escape(visible(text)), style="yellow", soft_wrap=True)
