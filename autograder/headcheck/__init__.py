"""headcheck: an auto-graded course on multi-head attention that names the mistake."""

from headcheck.marker import grade

__all__ = ["__version__", "grade"]

__version__ = "0.1.0"
