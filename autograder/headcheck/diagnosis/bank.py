"""What a known mistake is: a name, words for the student, and code that makes it on purpose."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Mistake:
    """One wrong choice that people really make.

    Texts are English sources wrapped in `N_`; they are translated when they are shown.
    """

    id: str
    """Kebab-case id, stable: `split-view-no-transpose`."""

    name: str
    """One line: what was done (`view` straight to (B, h, n, d_k), without the transpose)."""

    explanation: str
    """Why it is wrong, in two or three plain sentences."""

    question: str
    """One question that leads the student on."""

    source: str = ""
    """A link to where people were seen to make it."""

    wrong: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    """Task name -> a function with the same signature as the student's, that makes this mistake.

    It returns what a student with this mistake would return, or raises what the student's code would raise.
    """

    also: Mapping[str, Sequence[Callable[..., Any]]] = field(default_factory=dict)
    """Task name -> other ways to make the same mistake that give other numbers (-1e9 where `wrong` fills -inf)."""

    def forms(self, task: str) -> tuple[Callable[..., Any], ...]:
        """Return every function that makes this mistake in a task, the usual one first; none when it cannot be made."""
        usual = (self.wrong[task],) if task in self.wrong else ()
        return (*usual, *self.also.get(task, ()))
