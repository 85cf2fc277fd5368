"""headcheck: an auto-graded course on multi-head attention that names the mistake."""

from typing import Any

from headcheck.marker import grade

__all__ = ["__version__", "grade", "practice"]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Load `practice` when it is asked for; nothing else needs the quiz."""
    if name != "practice":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from headcheck.quiz.site.notebook_page import practice

    return practice
