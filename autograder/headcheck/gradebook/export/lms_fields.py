"""Reads a CSV file so that single fields can be replaced and every other byte stays as it was."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from headcheck.errors import UsageError
from headcheck.i18n import _

DELIMITERS = (",", ";", "\t")

MARKS = (
    (b"\xef\xbb\xbf", "utf-8", "surrogateescape"),
    (b"\xff\xfe", "utf-16-le", "surrogatepass"),
    (b"\xfe\xff", "utf-16-be", "surrogatepass"),
)
"""Byte order marks, and how to read what follows. UTF-8 with `surrogateescape` gives back any bytes, so that a file in
an old eight-bit encoding survives too."""


@dataclass(frozen=True)
class Encoding:
    """How a file was decoded, and how to encode it again to the same bytes."""

    mark: bytes
    codec: str
    errors: str

    def encode(self, text: str) -> bytes:
        """Return the bytes of a text, with the mark."""
        return self.mark + text.encode(self.codec, self.errors)


@dataclass(frozen=True)
class Field:
    """One field: where it stands in the text, quotes included, and what it says."""

    start: int
    end: int
    value: str


@dataclass(frozen=True)
class Record:
    """One row of the table; a row may take several lines."""

    line: int
    """The line on which it begins, counted from 1."""
    fields: tuple[Field, ...]

    def value(self, column: int) -> str:
        """Return what a column says, without blanks around it; nothing when the row is too short."""
        return self.fields[column].value.strip() if column < len(self.fields) else ""


def decode(data: bytes) -> tuple[str, Encoding]:
    """Decode a file as UTF-8 or UTF-16.

    Args:
        data: the bytes.

    Returns:
        The text without its byte order mark, and the way back.

    Raises:
        UsageError: half a character at the end of a UTF-16 file.
    """
    encoding = _encoding(data)
    try:
        text = data[len(encoding.mark) :].decode(encoding.codec, encoding.errors)
    except UnicodeDecodeError as error:
        raise UsageError(_("not readable as {codec}: {error}").format(codec=encoding.codec, error=error)) from error
    return text, encoding


def _encoding(data: bytes) -> Encoding:
    for mark, codec, errors in MARKS:
        if data.startswith(mark):
            return Encoding(mark, codec, errors)
    if b"\0" in data[:2]:
        return Encoding(b"", "utf-16-be" if data[:1] == b"\0" else "utf-16-le", "surrogatepass")
    return Encoding(b"", "utf-8", "surrogateescape")


@cache
def _pattern(delimiter: str) -> re.Pattern[str]:
    unquoted = rf"[^{delimiter}\r\n]*+"
    return re.compile(rf'"(?P<quoted>[^"]*+(?:""[^"]*+)*+)(?P<close>"?)(?P<rest>{unquoted})|(?P<plain>{unquoted})')


def split(text: str, delimiter: str) -> list[Record]:
    """Split a text into rows and fields as Python's `csv.reader` does, and remember where each field stands.

    Args:
        text: the text.
        delimiter: what stands between two fields.

    Returns:
        The rows; an empty line is a row without fields.

    Raises:
        UsageError: a quote is never closed.
    """
    records: list[Record] = []
    fields: list[Field] = []
    at, line, first_line = 0, 1, 1
    while at < len(text) or fields:
        match = _pattern(delimiter).match(text, at)
        assert match is not None  # the pattern matches the empty text too
        fields.append(_field(match, line))
        line += _line_ends(match[0])
        at = match.end()
        if text[at : at + 1] == delimiter:
            at += 1
            continue
        ending = 2 if text.startswith("\r\n", at) else 1
        empty = len(fields) == 1 and not match[0]
        records.append(Record(first_line, () if empty else tuple(fields)))
        at, line, fields = at + ending, line + 1, []
        first_line = line
    return records


def _field(match: re.Match[str], line: int) -> Field:
    if match["plain"] is not None:
        return Field(match.start(), match.end(), match["plain"])
    if not match["close"]:
        raise UsageError(_("line {line}: a quote is opened and never closed").format(line=line))
    return Field(match.start(), match.end(), match["quoted"].replace('""', '"') + match["rest"])


def _line_ends(text: str) -> int:
    return len(re.findall(r"\r\n|\r|\n", text))


def replace(text: str, delimiter: str, changes: Iterable[tuple[Field, str]]) -> str:
    """Put new values into fields; a field that was quoted stays quoted.

    Args:
        text: the text that was split.
        delimiter: what stands between two fields.
        changes: fields and their new values.

    Returns:
        The new text.
    """
    pieces, at = [], 0
    for field, value in sorted(changes, key=lambda change: change[0].start):
        quoted = text.startswith('"', field.start) or any(character in value for character in f'{delimiter}"\r\n')
        pieces += [text[at : field.start], '"{}"'.format(value.replace('"', '""')) if quoted else value]
        at = field.end
    return "".join([*pieces, text[at:]])
