"""The words of a question: read from YAML, languages side by side, places filled from the drawn numbers."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from headcheck.errors import UsageError
from headcheck.i18n import _

LANGUAGES = ("en", "tr", "uz")
"""Every text of the bank must exist in these languages."""

UNCHECKED = "unchecked"
"""Field of a file that lists the languages whose texts no native reader has checked yet."""

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_FIXED = re.compile(r"```.*?```|\$[^$]+\$|`[^`]+`|\{\w+\}", re.DOTALL)
"""What no translation may change: code, formulas, places."""

_PLACE = re.compile(r"\{\{|\}\}|\{([A-Za-z]\w*)\}|[{}]")


class Texts:
    """All texts of one question, in the file that is named after it.

    A text may hold places such as `{d_model}`; as in Python's `str.format`, a brace that is meant to be seen is doubled
    (`$\\sqrt{{d_k}}$`).
    """

    def __init__(self, file: Path) -> None:
        self.file = file

    @functools.cached_property
    def fields(self) -> Mapping[str, Any]:
        """Every text in the file, which is read when the first one is asked for.

        Raises:
            UsageError: the file cannot be read or is no YAML mapping.
        """
        return {name: field for name, field in self._content.items() if name != UNCHECKED}

    def unchecked(self, language: str) -> bool:
        """Say whether no native reader has checked the texts in a language yet; the file says so itself."""
        return language in self._content.get(UNCHECKED, ())

    @functools.cached_property
    def _content(self) -> dict[str, Any]:
        try:
            content = yaml.load(self.file.read_text(encoding="utf-8"), Loader=_Loader)
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            reason = " ".join(str(error).split())
            raise UsageError(_("{file}: cannot be read: {reason}").format(file=self.file, reason=reason)) from error
        if not isinstance(content, dict):
            raise UsageError(_("{file}: a mapping of texts is expected (title, prompt, ...)").format(file=self.file))
        return content

    def say(self, language: str, *keys: str, values: Mapping[str, Any]) -> str:
        """Return one text with its places filled.

        Args:
            language: language code.
            keys: where the text stands: `"prompt"`, or `"wrong", "parameters-without-biases"`.
            values: what the places are filled with.

        Returns:
            The text, without blanks at its ends.

        Raises:
            UsageError: there is no such text, or a place has no value; names file, question, language and place.
        """
        return self._fill(self.template(language, *keys), language, ".".join(keys), values)

    def template(self, language: str, *keys: str) -> str:
        """Return one text with its places unfilled; see `say`.

        Raises:
            UsageError: there is no such text.
        """
        where: Any = self.fields
        for key in keys:
            where = where.get(key) if isinstance(where, dict) else None
        text = where.get(language) if isinstance(where, dict) else None
        if not isinstance(text, str) or not text.strip():
            raise self._error(language, _("the text {name} is missing").format(name=".".join(keys)))
        return text.strip()

    def keys(self, *keys: str) -> frozenset[str]:
        """Return the names under one field, such as the wrong answers that have a sentence."""
        where: Any = self.fields
        for key in keys:
            where = where.get(key, {}) if isinstance(where, dict) else {}
        return frozenset(where) if isinstance(where, dict) else frozenset()

    def forbid_others(self, known: Iterable[str], *keys: str) -> None:
        """Refuse texts that nothing will ever show, which are mostly misspelt names.

        Args:
            known: the names that may stand under the field.
            keys: the field.

        Raises:
            UsageError: another name stands there.
        """
        if left := sorted(self.keys(*keys) - frozenset(known)):
            name = ".".join([*keys, str(left[0])])
            raise self._error(", ".join(LANGUAGES), _("the text {name} belongs to nothing").format(name=name))

    def check_translations(self) -> None:
        """Demand that all languages have the same texts with the same places, formulas and code.

        Raises:
            UsageError: names the first text that differs from the English one.
        """
        for keys, languages in _leaves(self.fields):
            english = _fixed_pieces(self.template("en", *keys))
            for language in LANGUAGES:
                if odd := english ^ _fixed_pieces(self.template(language, *keys)):
                    name, piece = ".".join(keys), min(odd)[0]
                    raise self._error(
                        language, _("{name} and the English text differ in {piece}").format(name=name, piece=piece)
                    )
            if others := sorted(set(languages) - set(LANGUAGES)):
                raise self._error(others[0], _("{name} has an unknown language").format(name=".".join(keys)))

    def _fill(self, text: str, language: str, name: str, values: Mapping[str, Any]) -> str:
        def filled(match: re.Match[str]) -> str:
            if match[0] in ("{{", "}}"):
                return match[0][0]
            if match[1] is None or match[1] not in values:
                raise self._error(language, _("{name} has an unknown place {place}").format(name=name, place=match[0]))
            return str(values[match[1]])

        return _PLACE.sub(filled, text)

    def _error(self, language: str, what: str) -> UsageError:
        return UsageError(
            _("{file}: question {question}, language {language}: {what}").format(
                file=self.file, question=self.file.stem, language=language, what=what
            )
        )


def _fixed_pieces(text: str) -> set[tuple[str, int]]:
    """Return the pieces of a text that are the same in every language, each with how often it stands there."""
    return set(Counter(match[0] for match in _FIXED.finditer(text)).items())


def _leaves(fields: Mapping[str, Any], *above: str) -> Iterator[tuple[tuple[str, ...], Mapping[str, str]]]:
    """Yield where each text stands, and its languages."""
    for name, field in fields.items():
        if not isinstance(field, Mapping):
            continue
        if any(isinstance(text, str) for text in field.values()):
            yield (*above, name), field
        else:
            yield from _leaves(field, *above, name)
