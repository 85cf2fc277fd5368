"""Translations: every text that a person reads goes through `_` (English is the source)."""

import gettext
import os
from pathlib import Path

DOMAIN = "headcheck"

LOCALE = Path(__file__).resolve().parents[2] / "locale"
"""The compiled translations, beside the package in a checkout."""


def _(message: str) -> str:
    """Translate one message.

    Args:
        message: the English text, with `{named}` places to be filled by the caller with `.format`.

    Returns:
        The text in the reader's language (`HEADCHECK_LANG`, else the usual locale variables), else the English text.
    """
    chosen = os.environ.get("HEADCHECK_LANG")
    languages = [chosen] if chosen else None
    return _translation(tuple(languages) if languages else None).gettext(message)


def translated(message: str, language: str) -> str:
    """Translate one message into a given language, whatever the reader's is.

    Args:
        message: the English text.
        language: language code, "en" for the English text itself.

    Returns:
        The text.
    """
    return message if language == "en" else _translation((language,)).gettext(message)


_cache: dict[tuple[str, ...] | None, gettext.NullTranslations] = {}


def _translation(languages: tuple[str, ...] | None) -> gettext.NullTranslations:
    if languages not in _cache:
        _cache[languages] = gettext.translation(DOMAIN, LOCALE, list(languages) if languages else None, fallback=True)
    return _cache[languages]


def N_(message: str) -> str:
    """Mark a text for translation that is translated later, when it is shown."""
    return message
