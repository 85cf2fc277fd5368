"""The `student` fixture: calls a student's functions and reads his variables, as values only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headcheck.diagnosis.match import Observation
from headcheck.grading.process import StudentProcess
from headcheck.jail.errors import CallTimeout, ChildDied, StudentError, StudentFailure


class StudentFunction:
    """One function of the student; calling it sends the inputs into the jail and brings the value back."""

    def __init__(self, student: Student, name: str) -> None:
        self._student = student
        self.name = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it.

        Args:
            args: plain values and tensors.
            kwargs: the same.

        Returns:
            What it returned, rebuilt from bytes in this process.

        Raises:
            StudentFailure: no value came back.
        """
        try:
            value = self._student.ask(lambda process: process.call(self.name, args, kwargs))
        except StudentError as error:
            self._student.calls.append(Observation(args, kwargs, error))
            raise
        self._student.calls.append(Observation(args, kwargs, value))
        return value


class Student:
    """What a notebook defines, for the hidden tests of one task."""

    def __init__(self, process: StudentProcess) -> None:
        self._process = process
        self._given_up: StudentFailure | None = None
        self.calls: list[Observation] = []
        """Every call that came back, for diagnosis."""

    def __getattr__(self, name: str) -> StudentFunction:
        """Return the student's function of this name; whether there is one shows when it is called."""
        if name.startswith("_"):
            raise AttributeError(name)
        return StudentFunction(self, name)

    def value(self, name: str) -> Any:
        """Read a variable of the notebook.

        Args:
            name: the variable.

        Returns:
            Its value.

        Raises:
            StudentFailure: there is none, or it cannot be sent.
        """
        return self.ask(lambda process: process.get(name))

    def ask(self, request: Callable[[StudentProcess], Any]) -> Any:
        """Make one request; a task whose code hung or died once is not asked again."""
        if self._given_up is not None:
            raise self._given_up
        try:
            return request(self._process)
        except (CallTimeout, ChildDied) as failure:
            self._given_up = failure
            raise
