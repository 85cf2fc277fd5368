"""Lets a model answer carry its own stub: what students see in place of the answer."""

from __future__ import annotations

import re

from nbformat.notebooknode import NotebookNode
from nbgrader.preprocessors import ClearSolutions

from headcheck.errors import UsageError
from headcheck.i18n import _

BEGIN, STUB, END = "### BEGIN SOLUTION", "### STUB", "### END SOLUTION"


def stub_of(source: str) -> str:
    """Replace every solution region by its stub.

    Args:
        source: a solution cell with regions `### BEGIN SOLUTION` ... `### STUB` ... `### END SOLUTION`; the lines
            after STUB are comments, and lose their `# ` in the released notebook.

    Returns:
        The text that students get.

    Raises:
        UsageError: a region is not closed, has no stub, or the cell has no region.
    """
    kept: list[str] = []
    state, regions = "outside", 0
    for line in source.split("\n"):
        mark = line.strip()
        if mark == BEGIN and state == "outside":
            state, regions = "answer", regions + 1
        elif mark == STUB and state == "answer":
            state = "stub"
        elif mark == END and state == "stub":
            state = "outside"
        elif mark in (BEGIN, STUB, END):
            raise UsageError(_("{mark} in the wrong place; the order is BEGIN SOLUTION, STUB, END").format(mark=mark))
        elif state == "stub":
            kept.append(_uncomment(line))
        elif state == "outside":
            kept.append(line)
    if state != "outside" or not regions:
        raise UsageError(_("a solution cell needs ### BEGIN SOLUTION, ### STUB and ### END SOLUTION"))
    return "\n".join(kept)


def _uncomment(line: str) -> str:
    match = re.match(r"^(\s*)# ?(.*)$", line)
    if match is None:
        if line.strip():
            raise UsageError(_("the lines after ### STUB must be comments (got {line!r})").format(line=line.strip()))
        return line
    return (match[1] + match[2]).rstrip()


class StubSolutions(ClearSolutions):
    """nbgrader's ClearSolutions that knows the stub of each answer."""

    def _replace_solution_region(self, cell: NotebookNode, language: str) -> bool:
        if cell.cell_type == "code" and STUB in cell.source:
            cell.source = stub_of(cell.source)
            return True
        return bool(super()._replace_solution_region(cell, language))
