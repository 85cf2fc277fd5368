"""Tells what came of filling scores into a learning platform's gradebook."""

from __future__ import annotations

from collections.abc import Sequence

from headcheck.gradebook.export.entries import Entry
from headcheck.gradebook.export.lms_fill import Filled
from headcheck.i18n import _


def account(filled: Filled, entries: Sequence[Entry], out_of: float | None) -> list[str]:
    """Write an account, line by line.

    Args:
        filled: what came of it.
        entries: the scores.
        out_of: the points that full marks were scaled to; None when they were not.

    Returns:
        The lines: first how many fields were filled in, then everybody for whom there is something to do or to know.
    """
    lines = [_("column {name!r}: {count} scores filled in").format(name=filled.column, count=len(filled.scored))]
    worth = out_of or entries[0].max_score
    if filled.points is not None and filled.points != worth:
        lines.append(
            _("the column is worth {points:g} points, the scores are out of {worth:g}; see --out-of").format(
                points=filled.points, worth=worth
            )
        )
    lists = (
        (_("rows that match nobody in the gradebook"), filled.unknown),
        (_("students with a score who are not in the file"), filled.absent),
        (_("students without a score; their field was left"), filled.without_score),
        (_("excused or not assigned in the file; their field was left"), filled.kept),
        (_("a person still has to grade something of"), filled.unfinished),
    )
    for title, who in lists:
        if who:
            lines += [_("{title} ({count}):").format(title=title, count=len(who)), *(f"    {name}" for name in who)]
    return lines
