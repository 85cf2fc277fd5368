"""Practice inside a notebook: the practice page's parts in a frame, with nothing to load."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from headcheck.quiz.bank import Bank, open_bank
from headcheck.quiz.language import choose
from headcheck.quiz.site.build import Site, inline_page
from headcheck.quiz.site.strings import strings

if TYPE_CHECKING:
    from IPython.display import HTML

HEIGHT = 720
"""Height of the frame, pixels."""


def practice(topic: str | None = None, *, language: str | None = None) -> HTML:
    """Show practice questions in a notebook.

    Args:
        topic: only questions of this topic, "masks" say; None for all.
        language: language code; None for that of your system.

    Returns:
        What a notebook shows below the cell.

    Raises:
        UsageError: there is no such topic or language.
    """
    from IPython.display import HTML

    bank = open_bank()
    chosen = choose(language)
    page = inline_page(Site(Bank(bank.about(topic), bank.graded, bank.names), [chosen]))
    title = escape(strings(chosen)["title"])
    frame = f'<iframe srcdoc="{escape(page)}" title="{title}" style="width: 100%; height: {HEIGHT}px; border: 0">'
    return HTML(f"<div>{frame}</iframe></div>")  # IPython warns of HTML that begins with a frame
