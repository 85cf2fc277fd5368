"""Reads an assignment's text notebook: which kind of cell each marker announces."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import jupytext

from headcheck.course.assignment import TESTS_SUFFIX
from headcheck.errors import UsageError
from headcheck.i18n import _

KINDS = ("locked", "solution", "tests", "manual", "question")
MARKER = re.compile(r"^# %%(?:\s|$)")
NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9_]{0,49}")
"""Short enough for a cell id of the notebook format, with the suffix of its tests cell."""


@dataclass(frozen=True)
class TextCell:
    """One cell of the text notebook."""

    kind: str
    """`plain`, or one of KINDS."""
    name: str
    """Name behind the marker; empty for plain cells."""
    cell_type: str
    """`code` or `markdown`."""
    source: str
    points: float | None
    line: int
    """Line of the marker, counted from 1."""
    folded: bool = False
    """Shown folded in JupyterLab: code that students need not read."""

    @property
    def grade_id(self) -> str:
        """Id of the cell in the notebook; for a tests cell it is not the name of the task alone."""
        return self.name + TESTS_SUFFIX if self.kind == "tests" else self.name


@dataclass(frozen=True)
class Place:
    """Where an author's mistake is, for one-line errors."""

    path: Path
    line: int

    def error(self, message: str) -> UsageError:
        """Make the error `file:line: message`."""
        return UsageError(f"{self.path}:{self.line}: {message}")


Expander = Callable[[TextCell, Place], list[TextCell]]
"""Turns one cell of a kind that belongs to another room (a quiz question) into ordinary cells."""


def read_text_notebook(path: Path, expanders: Mapping[str, Expander] | None = None) -> list[TextCell]:
    """Read and check a text notebook.

    Args:
        path: percent-format file.
        expanders: kind -> function that turns such a cell into solution, tests and prose cells.

    Returns:
        Its cells, all of kind `plain`, `locked`, `solution`, `tests` or `manual`.

    Raises:
        UsageError: no such file, an unknown marker, a double name, a solution without tests...; `file:line: what`.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(_("{path}: cannot be read: {error}").format(path=path, error=error)) from error
    lines = [number for number, line in enumerate(text.splitlines(), start=1) if MARKER.match(line)]
    try:
        notebook = jupytext.reads(text, fmt="py:percent")
    except Exception as error:
        raise Place(path, 1).error(_("jupytext cannot read this file: {error}").format(error=error)) from error
    if len(lines) != len(notebook.cells):
        first = lines[0] if lines else 1
        raise Place(path, first).error(_("text before the first `# %%` marker, or a marker inside a string"))
    cells: list[TextCell] = []
    for line, cell in zip(lines, notebook.cells, strict=True):
        place = Place(path, line)
        parsed = _parse(cell, place)
        expand = (expanders or {}).get(parsed.kind)
        if expand is not None:
            cells += [replace(part, line=line) for part in expand(parsed, place)]
        elif parsed.kind == "question":
            raise place.error(_("`question` cells are not possible in this assignment"))
        else:
            cells.append(parsed)
    _check(path, cells)
    return cells


def _parse(cell: object, place: Place) -> TextCell:
    """Understand one marker: `# %% tests split_heads points=4`."""
    metadata = dict(cell.metadata)  # type: ignore[attr-defined]
    cell_type, source = cell.cell_type, cell.source.rstrip()  # type: ignore[attr-defined]
    metadata.pop("lines_to_next_cell", None)
    title = str(metadata.pop("title", ""))
    points = metadata.pop("points", None)
    if metadata:
        raise place.error(
            _("cannot read this marker; write `# %% KIND NAME points=N`, with [markdown] directly after the name")
        )
    if cell_type not in ("code", "markdown"):
        raise place.error(_("a cell is code or [markdown], not [{type}]").format(type=cell_type))
    if not title:
        if points is not None:
            raise place.error(_("points need a kind and a name: `# %% tests NAME points=N`"))
        return TextCell("plain", "", cell_type, source, None, place.line)
    kind, _space, name = title.partition(" ")
    if kind not in KINDS:
        raise place.error(_("unknown kind {kind!r}; known: {kinds}").format(kind=kind, kinds=", ".join(KINDS)))
    if not NAME.fullmatch(name):
        raise place.error(
            _("{kind} needs a name of at most 50 letters, digits and _ (got {name!r})").format(kind=kind, name=name)
        )
    return TextCell(kind, name, cell_type, source, _points(kind, points, place), place.line)


def _points(kind: str, points: object, place: Place) -> float | None:
    wanted = kind in ("tests", "manual", "question")
    if not wanted and points is not None:
        raise place.error(_("a {kind} cell has no points").format(kind=kind))
    if wanted and (isinstance(points, bool) or not isinstance(points, (int, float)) or not 0 < points <= 1000):
        raise place.error(_("a {kind} cell needs points=N with N above 0").format(kind=kind))
    return float(points) if isinstance(points, (int, float)) else None


def _check(path: Path, cells: list[TextCell]) -> None:
    """Demand unique names, one solution before each tests cell, and markers that fit the cell type."""
    seen: dict[str, TextCell] = {}
    for cell in cells:
        place = Place(path, cell.line)
        if cell.kind == "plain":
            continue
        if cell.kind != "manual" and cell.cell_type != "code":
            raise place.error(_("a {kind} cell cannot be [markdown]").format(kind=cell.kind))
        if cell.grade_id in seen:
            raise place.error(
                _("{name} stands already in line {line}").format(name=cell.grade_id, line=seen[cell.grade_id].line)
            )
        if cell.kind == "tests" and (cell.name not in seen or seen[cell.name].kind != "solution"):
            raise place.error(_("tests {name} come before (or without) `solution {name}`").format(name=cell.name))
        seen[cell.grade_id] = cell
    for cell in seen.values():
        if cell.kind == "solution" and cell.name + TESTS_SUFFIX not in seen:
            raise Place(path, cell.line).error(_("solution {name} has no `tests {name}` cell").format(name=cell.name))
