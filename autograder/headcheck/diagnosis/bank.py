"""What a known mistake is: a name, words for the student, and code that makes it on purpose."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Context = dict[str, Any]
"""Everything that a computation in stages has made so far."""

Step = Callable[[Context], Context]
"""One stage: looks at the context and returns what it adds or replaces; never changes a tensor in place."""

Choice = Mapping[str, Step]
"""Stage -> the step that is taken there instead of the right one."""


@dataclass(frozen=True)
class Crash:
    """How an exception of this mistake can be known by its kind and its words, whatever the style of the code."""

    type_name: str
    pattern: str
    """Regular expression, searched for in the text of the exception."""


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

    symptom: str = ""
    """What one notices: a crash, a wrong shape, or how the numbers are off."""

    see: str = ""
    """How to see it oneself: one small experiment."""

    source: str = ""
    """A link to where people were seen to make it."""

    choices: Sequence[Choice] = ()
    """Ways to make it in a computation that is described in stages (`headcheck.diagnosis.stages`)."""

    tasks: Sequence[str] | None = None
    """The tasks in stages where it can be made; None means all that have the stages of its choices."""

    crashes: Sequence[Crash] = ()
    """Exceptions that give it away."""

    probe: str = ""
    """How a hidden test shows it, when no value of an ordinary call does; such a test names the mistake itself."""

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
