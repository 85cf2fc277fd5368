"""Tables for the terminal: one submission's tasks, a class's scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from headcheck.grading.verdict import TaskVerdict, Verdict
from headcheck.i18n import _
from headcheck.report.states import STATE_NAMES

COLOURS = {
    "correct": "green",
    "partial": "yellow",
    "incorrect": "red",
    "error": "red",
    "timeout": "red",
    "not_attempted": "dim",
    "manual": "cyan",
}


def visible(text: str) -> str:
    """Make a text safe to print: control characters (terminal escapes) become `?`, newline and tab stay."""
    return "".join(c if c.isprintable() or c in "\n\t" else "?" for c in text)


def print_verdict(verdict: Verdict, console: Console) -> None:
    """Print one verdict for a person.

    Args:
        verdict: the verdict.
        console: where to.
    """
    console.print(
        f"[bold]{escape(visible(verdict.notebook))}[/]  {escape(verdict.assignment)}  "
        f"[bold]{verdict.score:g} / {verdict.max_score:g}[/]  "
        + escape(_("(isolation {level})").format(level=verdict.isolation))
    )
    for task in verdict.tasks:
        _print_task(task, console)
    for note in verdict.notes:
        console.print(f"  [dim]{escape(visible(_('note: {text}').format(text=note)))}[/]")


def _print_task(task: TaskVerdict, console: Console) -> None:
    colour = COLOURS[task.state]
    console.print(
        f"  [{colour}]{escape(_(STATE_NAMES[task.state])):<17}[/] {escape(task.task):<20} "
        f"{task.score:g} / {task.max_score:g}"
    )
    if task.state not in ("correct", "manual"):
        for line in visible(task.message).splitlines():
            console.print(f"      {escape(line)}", soft_wrap=True)


def class_table(title: str, verdicts: Mapping[str, Mapping[str, Verdict]], assignments: Sequence[str]) -> Table:
    """Make the table of a class: a line for each student and assignment, with score and named mistakes.

    Args:
        title: heading.
        verdicts: student -> assignment -> verdict.
        assignments: in this order.

    Returns:
        A table for a rich console; it can be read in 80 columns.
    """
    table = Table(title=escape(title))
    table.add_column(_("student"), overflow="fold", min_width=10)
    table.add_column(_("assignment"), no_wrap=True)
    table.add_column(_("points"), justify="right", no_wrap=True)
    table.add_column(_("what was found"), overflow="fold", min_width=16)
    for student in sorted(verdicts):
        found = [(name, verdicts[student][name]) for name in assignments if name in verdicts[student]]
        rows = [(name, _points(verdict), escape(_found(verdict))) for name, verdict in found] or [("-", "-", "")]
        for place, row in enumerate(rows):
            shown = "" if place else escape(visible(student))
            table.add_row(shown, *row, end_section=place == len(rows) - 1)
    return table


def _points(verdict: Verdict) -> str:
    return f"{verdict.score:g}/{verdict.max_score:g}"


def _found(verdict: Verdict) -> str:
    """Name the mistakes of a submission, and count the other tasks that are not right."""
    if all(task.state in ("not_attempted", "manual") for task in verdict.tasks):
        return _("not attempted")
    if all(task.state == "error" for task in verdict.tasks):
        return visible(verdict.tasks[0].message)
    wrong = [task for task in verdict.tasks if task.state != "correct"]  # a right answer may come with advice
    named = list(dict.fromkeys(mistake for task in wrong for mistake in task.mistakes))
    unnamed = [task.state for task in wrong if not task.mistakes]
    counts = [
        _("{count} {state}").format(count=unnamed.count(state), state=_(STATE_NAMES[state]))
        for state in ("timeout", "error", "incorrect", "partial", "not_attempted")
        if state in unnamed
    ]
    return visible(", ".join([*named, *counts]))
