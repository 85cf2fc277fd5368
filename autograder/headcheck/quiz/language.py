"""Chooses the language in which somebody practises."""

from __future__ import annotations

import os

from headcheck.errors import UsageError
from headcheck.i18n import _
from headcheck.quiz.texts import LANGUAGES

VARIABLE = "HEADCHECK_LANG"
_VARIABLES = (VARIABLE, "LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")


def choose(wanted: str | None) -> str:
    """Choose a language that the bank has.

    Args:
        wanted: what the person asked for; None leaves it to the environment.

    Returns:
        A language code; English when the environment names none of the bank's languages.

    Raises:
        UsageError: the bank does not have the language asked for.
    """
    if wanted is None:
        named = (name[:2].lower() for variable in _VARIABLES for name in os.environ.get(variable, "").split(":"))
        return next((language for language in named if language in LANGUAGES), "en")
    if wanted not in LANGUAGES:
        raise UsageError(
            _("{language!r} is not a language of this quiz; it has: {languages}").format(
                language=wanted, languages=", ".join(LANGUAGES)
            )
        )
    return wanted
