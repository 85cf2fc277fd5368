"""Reads a plain nbgrader notebook that a student handed in: under limits, and only what grading needs is kept."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat

from headcheck.course.notebook import MAX_CELL_CHARS, MAX_CELLS, clean_text, read_content
from headcheck.errors import UsageError
from headcheck.i18n import _

NOTES = "headcheck_notes"
"""Key of a notebook's metadata: what was odd about the submission, one sentence each."""
UNREADABLE = "headcheck_unreadable"
"""Key of a notebook's metadata: why the file could not be read; nothing in such a notebook is run."""

KEPT_METADATA = ("kernelspec", "language_info")
KEPT_CELL_METADATA = ("nbgrader", "tags")
IMAGE = re.compile(r"image/(?:png|jpeg|gif)")
BASE64 = re.compile(r"[A-Za-z0-9+/=\s]*")
MAKERS = {
    "code": nbformat.v4.new_code_cell,
    "markdown": nbformat.v4.new_markdown_cell,
    "raw": nbformat.v4.new_raw_cell,
}


def read_plain(path: Path, outputs: bool = False) -> nbformat.NotebookNode:
    """Read a submitted notebook.

    Args:
        path: the student's file; links are not followed.
        outputs: keep what the cells printed at the student's, for grading without running anything.

    Returns:
        A valid notebook of format 4 with the student's cells.

    Raises:
        UsageError: it cannot be used at all; `path: what`.
    """
    content = _as_format_4(path, read_content(path))
    cells = content.get("cells")
    if not isinstance(cells, list):
        raise UsageError(_("{path}: not a Jupyter notebook (format 4)").format(path=path))
    if len(cells) > MAX_CELLS:
        raise UsageError(_("{path}: more than {limit} cells").format(path=path, limit=MAX_CELLS))
    made = [_cell(number, cell, outputs) for number, cell in enumerate(cells) if isinstance(cell, dict)]
    notebook = nbformat.v4.new_notebook()  # filled afterwards: it refuses what is not valid
    notebook.cells = made
    notebook.metadata = nbformat.from_dict(_only(content.get("metadata"), KEPT_METADATA))
    return notebook if _is_valid(notebook) else _bare(notebook)


def unreadable(reason: str) -> nbformat.NotebookNode:
    """Stand in for a file that cannot be used, so that the student gets a grade and the reason.

    Args:
        reason: one line.

    Returns:
        A notebook without cells; the missing ones are put in later.
    """
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return nbformat.v4.new_notebook(metadata={"kernelspec": kernel, UNREADABLE: reason})


def _as_format_4(path: Path, content: dict[str, Any]) -> dict[str, Any]:
    """Bring a notebook of an older format up to date."""
    if not isinstance(content.get("worksheets"), list):
        return content
    try:
        return dict(nbformat.convert(nbformat.from_dict(content), 4))
    except Exception as error:  # whatever a file that is no notebook makes nbformat stumble over
        raise UsageError(_("{path}: not a Jupyter notebook (format 4)").format(path=path)) from error


def _cell(number: int, cell: dict[str, Any], outputs: bool) -> nbformat.NotebookNode:
    make = MAKERS.get(str(cell.get("cell_type")), nbformat.v4.new_markdown_cell)
    node = make(_text(cell.get("source")), metadata=_only(cell.get("metadata"), KEPT_CELL_METADATA))
    claim = node.metadata.get("nbgrader")
    if not isinstance(claim, dict) or not isinstance(claim.get("grade_id"), str):
        node.metadata.pop("nbgrader", None)
    node.id = f"cell-{number}"
    if cell.get("cell_type") == "markdown" and (images := _images(cell.get("attachments"))):
        node.attachments = images
    if cell.get("cell_type") == "code" and outputs and isinstance(cell.get("outputs"), list):
        node.outputs = nbformat.from_dict([_joined(output) for output in cell["outputs"] if isinstance(output, dict)])
        count = cell.get("execution_count")
        node.execution_count = count if type(count) is int else None
    return node


def _text(source: object) -> str:
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    return clean_text(source[:MAX_CELL_CHARS]) if isinstance(source, str) else ""


def _joined(output: dict[str, Any]) -> dict[str, Any]:
    """Put an output's text together, which files hold as a list of lines."""
    if isinstance(output.get("text"), list):
        output = {**output, "text": _text(output["text"])}
    if isinstance(output.get("data"), dict):
        output = {**output, "data": {k: _text(v) if isinstance(v, list) else v for k, v in output["data"].items()}}
    return output


def _images(attachments: object) -> dict[str, dict[str, str]]:
    """Keep pictures that were pasted into an answer."""
    found: dict[str, dict[str, str]] = {}
    for name, bundle in attachments.items() if isinstance(attachments, dict) else ():
        for kind, data in bundle.items() if isinstance(bundle, dict) else ():
            if IMAGE.fullmatch(kind) and isinstance(data, str) and BASE64.fullmatch(data):
                found.setdefault(name, {})[kind] = data
    return found


def _only(metadata: object, keys: tuple[str, ...]) -> dict[str, Any]:
    """Keep the metadata that somebody reads; a student cannot speak in our name by the other keys."""
    return {key: metadata[key] for key in keys if key in metadata} if isinstance(metadata, dict) else {}


def _is_valid(notebook: nbformat.NotebookNode) -> bool:
    try:
        nbformat.validate(notebook)
    except (nbformat.ValidationError, RecursionError):
        return False
    return True


def _bare(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Keep texts and claimed ids alone."""
    kernel = notebook.metadata.get("kernelspec")
    notebook.metadata = nbformat.from_dict({"kernelspec": kernel} if _is_kernel(kernel) else {})
    for cell in notebook.cells:
        claim = cell.metadata.get("nbgrader")
        cell.metadata = nbformat.from_dict({"nbgrader": claim} if isinstance(claim, dict) else {})
        if cell.cell_type == "code":
            cell.outputs = []
    return notebook


def _is_kernel(kernel: object) -> bool:
    return isinstance(kernel, dict) and all(isinstance(kernel.get(key), str) for key in ("name", "display_name"))
