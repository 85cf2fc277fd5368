"""Reads a notebook file that a stranger wrote: bounded, and only the sources of its cells are kept."""

from __future__ import annotations

import codecs
import json
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headcheck.errors import UsageError
from headcheck.i18n import _

MAX_BYTES = 32 * 2**20
"""Larger files are refused: an honest notebook of this course has a few MB of figures at most."""
MAX_CELLS = 2000
MAX_CELL_CHARS = 500_000


@dataclass(frozen=True)
class RawCell:
    """What is kept of a student's cell."""

    cell_type: str
    """`code` or `markdown` (raw cells become markdown)."""
    source: str
    grade_id: str
    """What the cell's metadata claims; empty when there is none."""


def read_notebook(path: Path) -> list[RawCell]:
    """Read the cells of an untrusted notebook file.

    Args:
        path: the file; symbolic links are not followed.

    Returns:
        Its code and markdown cells, in order.

    Raises:
        UsageError: no such file, too large, not JSON, not a notebook, no cells; `path: what`.
    """
    cells = read_content(path).get("cells")
    if not isinstance(cells, list):
        raise UsageError(_("{path}: not a Jupyter notebook (format 4)").format(path=path))
    kept = [cell for cell in map(_raw_cell, cells[:MAX_CELLS]) if cell is not None]
    if not kept:
        raise UsageError(_("{path}: the notebook has no cells").format(path=path))
    if len(cells) > MAX_CELLS:
        raise UsageError(_("{path}: more than {limit} cells").format(path=path, limit=MAX_CELLS))
    return kept


def read_content(path: Path) -> dict[str, Any]:
    """Read an untrusted notebook file as plain data.

    Args:
        path: the file; symbolic links are not followed.

    Returns:
        What the JSON holds; nothing in it has been checked.

    Raises:
        UsageError: no such file, too large, not JSON, not a notebook; `path: what`.
    """
    data = read_bytes(path)
    try:
        content = json.loads(_decode(data))
    except (ValueError, RecursionError) as error:
        reason = _("nested too deeply") if isinstance(error, RecursionError) else _("not valid JSON")
        raise UsageError(
            _("{path}: {reason}; save the notebook again in JupyterLab and hand that in").format(
                path=path, reason=reason
            )
        ) from error
    if not isinstance(content, dict):
        raise UsageError(_("{path}: not a Jupyter notebook (format 4)").format(path=path))
    return content


def read_bytes(path: Path) -> bytes:
    """Read a regular file, never through a symbolic link, never more than the limit.

    Args:
        path: the file.

    Returns:
        Its content.

    Raises:
        UsageError: it is missing, empty, too large, or no regular file; `path: what`.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError as error:
        raise UsageError(_("{path}: no such notebook").format(path=path)) from error
    except OSError as error:
        reason = _("a symbolic link, not a file") if path.is_symlink() else error.strerror
        raise UsageError(_("{path}: {reason}").format(path=path, reason=reason)) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UsageError(_("{path}: not a file").format(path=path))
    with os.fdopen(descriptor, "rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise UsageError(
            _("{path}: larger than {limit} MB; clear the outputs (Edit > Clear Outputs of All Cells) and save").format(
                path=path, limit=MAX_BYTES // 2**20
            )
        )
    if not data.strip():
        raise UsageError(_("{path}: the file is empty").format(path=path))
    return data


def _decode(data: bytes) -> str:
    """Decode as UTF-8 (with or without BOM), UTF-16 with BOM, else as Windows text so that the code survives."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def _raw_cell(cell: Any) -> RawCell | None:
    """Keep type, source and claimed grade_id; None for what is no cell."""
    if not isinstance(cell, dict):
        return None
    source = cell.get("source")
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str):
        return None
    metadata = cell.get("metadata")
    nbgrader = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    grade_id = nbgrader.get("grade_id") if isinstance(nbgrader, dict) else None
    return RawCell(
        cell_type="code" if cell.get("cell_type") == "code" else "markdown",
        source=clean_text(source[:MAX_CELL_CHARS]),
        grade_id=grade_id if isinstance(grade_id, str) and len(grade_id) <= 100 else "",
    )


def clean_text(text: str) -> str:
    """Make any string encodable and free of NUL: lone surrogates and NUL bytes become U+FFFD.

    Args:
        text: a string from a JSON file.

    Returns:
        The same text for all practical purposes.
    """
    if "\0" in text:
        text = text.replace("\0", "\N{REPLACEMENT CHARACTER}")
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
