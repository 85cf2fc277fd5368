"""Proof that a test cell ran: it leaves a random word behind, which the notebook could not know before."""

from __future__ import annotations

import ast
import secrets

from headcheck.jail.client import Child
from headcheck.jail.errors import StudentFailure

SECONDS = 5.0


class Proof:
    """A test cell with a random word in it.

    It defeats code that makes every later cell empty. It is no wall: the cell runs in the student's process, and code
    that was written against this very check can pass it.
    """

    def __init__(self, source: str) -> None:
        """Put the word in, behind everything but the last expression, whose value may be the points."""
        self._name, self._word = f"_ran_{secrets.token_hex(8)}", secrets.token_hex(16)
        self._possible = not source.lstrip().startswith("%%")
        self.source = _with_statement(source, f"{self._name} = {self._word!r}") if self._possible else source

    def holds(self, child: Child) -> bool:
        """Whether the word is there; a dead process has none, and a cell of another language cannot have one."""
        if not self._possible:
            return True
        try:
            return bool(child.get(self._name, SECONDS) == self._word)
        except StudentFailure:
            return False


def _with_statement(source: str, statement: str) -> str:
    """Add a statement to a cell without moving its lines or its last value."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError):  # magics
        return f"{statement}\n{source}"
    if not body or not isinstance(body[-1], ast.Expr):
        return f"{source}\n{statement}"
    last, lines = body[-1], source.split("\n")
    line = lines[last.lineno - 1].encode()
    start = line[: last.col_offset].decode()
    lines[last.lineno - 1] = f"{start}{statement}; {line[last.col_offset :].decode()}"
    return "\n".join(lines)
