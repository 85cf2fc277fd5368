"""The hidden tests of a plain nbgrader notebook: where they stand in a cell, and keeping them out of feedback."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import nbformat
from nbgrader import preprocessors, utils

from headcheck.gradebook.notebooks import SAID
from headcheck.i18n import _

BEGIN, END = "BEGIN HIDDEN TESTS", "END HIDDEN TESTS"


SHORTEST = 8
"""A shorter line says nothing, and would be found everywhere."""


def has_hidden_tests(source: str) -> bool:
    """Whether a cell's text holds a region of hidden tests."""
    return BEGIN in source


def without_hidden_tests(source: str) -> str:
    """Return what students got of a cell.

    Args:
        source: text of a cell, perhaps with regions between nbgrader's two marks.

    Returns:
        The text without them; a region that is never closed reaches to the end.
    """
    return "\n".join(line for line, hidden in _lines(source) if not hidden)


def _lines(source: str) -> Iterator[tuple[str, bool]]:
    """Yield each line but the marks, and whether it is hidden."""
    hidden = False
    for line in source.split("\n"):
        if BEGIN in line or END in line:
            hidden = BEGIN in line
        else:
            yield line, hidden


class HideHiddenTests(preprocessors.ClearHiddenTests):
    """A step of `generate_feedback`: takes the hidden tests out, and what was printed or quoted of them."""

    def preprocess(
        self, nb: nbformat.NotebookNode, resources: dict[str, Any]
    ) -> tuple[nbformat.NotebookNode, dict[str, Any]]:
        """Clean a graded notebook in place.

        Args:
            nb: the notebook.
            resources: nbgrader's resources.

        Returns:
            Both.
        """
        tests = [cell.source for cell in nb.cells if cell.cell_type == "code" and utils.is_grade(cell)]
        secret = {line.strip() for source in tests for line, hidden in _lines(source) if hidden}
        nb, resources = super().preprocess(nb, resources)
        for cell in nb.cells:
            if cell.cell_type == "code":
                _mask(cell, {line for line in secret if len(line) >= SHORTEST})
        return nb, resources

    def preprocess_cell(
        self, cell: nbformat.NotebookNode, resources: dict[str, Any], cell_index: int
    ) -> tuple[nbformat.NotebookNode, dict[str, Any]]:
        """Clean one cell; whether it passed and headcheck's own sentence stay."""
        if cell.cell_type == "code" and utils.is_grade(cell) and self.begin_test_delimeter in cell.source:
            self._remove_hidden_test_region(cell)
            if "headcheck" in cell.metadata:  # only the text that students got was run
                return cell, resources
            own = cell.metadata.get(SAID, "")
            cell.outputs = [_without_quotes(o) for o in cell.outputs if o.output_type == "error" or is_ours(o, own)]
        return cell, resources


def is_ours(output: nbformat.NotebookNode, said: str) -> bool:
    """Whether an output is the sentence that headcheck wrote below a test cell."""
    return bool(said) and output.output_type == "stream" and output.text == said


def _mask(cell: nbformat.NotebookNode, secret: set[str]) -> None:
    """Take out of a cell's outputs the lines that quote a hidden test; code that hides them well is not found."""
    for output in cell.outputs:
        if output.output_type == "stream":
            output.text = _masked(output.text, secret)
        elif output.output_type == "error":
            output.evalue = _masked(output.evalue, secret)
            output.traceback = [_masked(line, secret) for line in output.traceback]
        elif "text/plain" in output.get("data", {}):
            output.data["text/plain"] = _masked(output.data["text/plain"], secret)


def _masked(text: str, secret: set[str]) -> str:
    lines = str(text).split("\n")
    return "\n".join(_("(hidden)") if any(quote in line for quote in secret) else line for line in lines)


def _without_quotes(output: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Keep an error's name and message; its traceback quotes lines of the test."""
    if output.output_type != "error":
        return output
    text = f"{output.ename}: {output.evalue}" if output.evalue else output.ename
    return nbformat.v4.new_output("error", ename=output.ename, evalue=output.evalue, traceback=text.splitlines())
