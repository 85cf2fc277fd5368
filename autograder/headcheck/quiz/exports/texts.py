"""Sentences that all exports need."""

from __future__ import annotations

from headcheck.i18n import _
from headcheck.quiz.items import Field, Item, Slip
from headcheck.quiz.kinds import Shape


def form_of(field: Field) -> str:
    """Say in one sentence what the answer looks like.

    Args:
        field: what is to be answered.

    Returns:
        Markdown.
    """
    if isinstance(field.kind, Shape):
        return _("*Answer form:* {form}, such as (2, 3, 5).").format(form=field.form)
    return _("*Answer form:* {form}.").format(form=field.form)


def reading_of(item: Item) -> str:
    """Say where in the course the question is answered.

    Args:
        item: the variant.

    Returns:
        Plain text.
    """
    read = item.question.read
    return _("Read: {assignment}, {section}").format(assignment=read.assignment, section=read.title)


def explanation_of(item: Item) -> str:
    """Return the working and where to read.

    Args:
        item: the variant.

    Returns:
        Markdown.
    """
    return f"{item.explanation}\n\n{reading_of(item)}"


def same_slips(field: Field) -> list[list[Slip]]:
    """Put the misconceptions together that lead to the same wrong answer.

    Args:
        field: what is to be answered.

    Returns:
        Groups of one or more, in the order of the bank.
    """
    groups: dict[str, list[Slip]] = {}
    for slip in field.slips:
        groups.setdefault(slip.text, []).append(slip)
    return list(groups.values())
