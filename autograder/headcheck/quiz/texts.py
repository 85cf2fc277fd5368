"""The words of a question: read from YAML, languages side by side, places filled from the drawn numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from headcheck.errors import UsageError
from headcheck.i18n import _

LANGUAGES = ("en",)
"""Every text of the bank must exist in these languages."""

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_PLACE = re.compile(r"\{\{|\}\}|\{([A-Za-z]\w*)\}|[{}]")


class Texts:
    """All texts of one question.

    A text may hold places such as `{d_model}`; as in Python's `str.format`, a brace that is meant to be seen is doubled
    (`$\\sqrt{{d_k}}$`).
    """

    def __init__(self, file: Path, fields: Mapping[str, Any]) -> None:
        self.file = file
        self.fields = fields

    @classmethod
    def load(cls, file: Path) -> Texts:
        """Read the texts of the question that the file is named after.

        Args:
            file: `q01.yaml` in the bank's text folder.

        Returns:
            The texts; single ones are checked when they are asked for.

        Raises:
            UsageError: the file cannot be read or is no YAML mapping.
        """
        try:
            fields = yaml.load(file.read_text(encoding="utf-8"), Loader=_Loader)
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            reason = " ".join(str(error).split())
            raise UsageError(_("{file}: cannot be read: {reason}").format(file=file, reason=reason)) from error
        if not isinstance(fields, dict):
            raise UsageError(_("{file}: a mapping of texts is expected (title, prompt, ...)").format(file=file))
        return cls(file, fields)

    def say(self, language: str, *keys: str, values: Mapping[str, Any]) -> str:
        """Return one text with its places filled.

        Args:
            language: language code.
            keys: where the text stands: `"prompt"`, or `"wrong", "biases-forgotten"`.
            values: what the places are filled with.

        Returns:
            The text, without blanks at its ends.

        Raises:
            UsageError: there is no such text, or a place has no value; names file, question, language and place.
        """
        where: Any = self.fields
        for key in keys:
            where = where.get(key) if isinstance(where, dict) else None
        text = where.get(language) if isinstance(where, dict) else None
        if not isinstance(text, str) or not text.strip():
            raise self._error(language, _("the text {name} is missing").format(name=".".join(keys)))
        return self._fill(text.strip(), language, ".".join(keys), values)

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
