"""The `student` fixture: calls a student's functions and objects and reads his variables, as values only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import torch

from headcheck.diagnosis.match import Observation
from headcheck.grading.local import LocalProcess
from headcheck.grading.process import StudentProcess
from headcheck.jail.client import Child
from headcheck.jail.errors import CallTimeout, ChildDied, StudentError, StudentFailure
from headcheck.jail.remote import Gradients, Remote, Traced

T = TypeVar("T")


class StudentFunction:
    """One function or class of the student; calling it sends the inputs into the jail and brings the value back."""

    def __init__(self, student: Student, name: str) -> None:
        self._student = student
        self.name = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it.

        Args:
            args: plain values, tensors, objects made by `make`.
            kwargs: the same.

        Returns:
            What it returned, rebuilt from bytes in this process.

        Raises:
            StudentFailure: no value came back.
        """
        return self._student.observe(
            args, kwargs, lambda c, s: c.call(self.name, *bare(args, kwargs), s), lambda: self.trace(*args, **kwargs)
        )

    def make(self, *args: Any, **kwargs: Any) -> RemoteObject:
        """Call it and leave the result in the jail, such as a module.

        Args:
            args: as for a call.
            kwargs: as for a call.

        Returns:
            A handle for it.

        Raises:
            StudentFailure: it was not made.
        """
        kept = self._student.ask(lambda c, s: c.call(self.name, *bare(args, kwargs), s, keep=True))
        return RemoteObject(self._student, self.name, kept)

    def gradients(self, cotangent: torch.Tensor, *args: Any, **kwargs: Any) -> Gradients:
        """Call it and backpropagate; see `Child.gradients`."""
        return self._student.ask(lambda c, s: c.gradients(self.name, *bare(args, kwargs), cotangent, s))

    def trace(self, *args: Any, **kwargs: Any) -> Traced:
        """Call it and bring its steps along; see `Child.trace`."""
        return self._student.ask(lambda c, s: c.trace(self.name, *bare(args, kwargs), s))


class RemoteObject:
    """An object of the student that stays in the jail; it is gone when the notebook's process ends."""

    def __init__(self, student: Student, name: str, kept: Remote) -> None:
        self._student = student
        self.name = name
        """Name of the function or class that made it."""
        self.kept = kept

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it, as `StudentFunction.__call__`."""
        return self._student.observe(
            args,
            kwargs,
            lambda c, s: c.call(self.kept, *bare(args, kwargs), s),
            lambda: self.trace(*args, **kwargs),
        )

    def method(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """Call a method and bring the value back.

        Args:
            name: of the method; "part.method" for one of a part.
            args: as for a call.
            kwargs: as for a call.

        Returns:
            The value.

        Raises:
            StudentFailure: no value came back.
        """
        return self._student.ask(lambda c, s: c.call(self.kept, *bare(args, kwargs), s, method=name))

    def make(self, name: str, *args: Any, **kwargs: Any) -> RemoteObject:
        """Call a method and leave its result in the jail; arguments and errors as for `method`."""
        kept = self._student.ask(lambda c, s: c.call(self.kept, *bare(args, kwargs), s, method=name, keep=True))
        return RemoteObject(self._student, f"{self.name}.{name}", kept)

    def do(self, name: str, *args: Any, **kwargs: Any) -> None:
        """Call a method for its effect only; arguments and errors as for `method`."""
        self._student.ask(lambda c, s: c.call(self.kept, *bare(args, kwargs), s, method=name, discard=True))

    def eval(self) -> None:
        """Put a module into evaluation mode."""
        self.do("eval")

    def train(self) -> None:
        """Put a module into training mode."""
        self.do("train")

    def load_state_dict(self, state: Mapping[str, torch.Tensor]) -> None:
        """Give a module these weights."""
        self.do("load_state_dict", dict(state))

    def state(self) -> dict[str, torch.Tensor]:
        """Return a module's weights by name."""
        return self._student.ask(lambda c, s: c.state(self.kept, s))

    def attribute(self, path: str) -> Any:
        """Return an attribute as a value, such as "W_q.weight"."""
        return self._student.ask(lambda c, s: c.attribute(self.kept, path, s))

    def gradients(self, cotangent: torch.Tensor, *args: Any, **kwargs: Any) -> Gradients:
        """Call it and backpropagate; see `Child.gradients`."""
        return self._student.ask(lambda c, s: c.gradients(self.kept, *bare(args, kwargs), cotangent, s))

    def trace(self, *args: Any, **kwargs: Any) -> Traced:
        """Call it and bring its steps along; see `Child.trace`."""
        return self._student.ask(lambda c, s: c.trace(self.kept, *bare(args, kwargs), s))


class Student:
    """What a notebook defines, for the hidden tests of one task."""

    def __init__(self, process: StudentProcess | LocalProcess) -> None:
        self._process = process
        self._given_up: StudentFailure | None = None
        self.calls: list[Observation] = []
        """Every call of a function or object that came back, for diagnosis."""
        self.advice: list[str] = []
        """Ids of mistakes that cost no points here but should be told."""

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
        return self.ask(lambda child, seconds: child.get(name, seconds))

    def seed(self, number: int) -> None:
        """Seed the random generators of the student's process."""
        self.ask(lambda child, seconds: child.seed(number, seconds))

    def ask(self, request: Callable[[Child, float], T]) -> T:
        """Make one request; a task whose code hung or died once is not asked again."""
        if self._given_up is not None:
            raise self._given_up
        try:
            return self._process.ask(request)
        except (CallTimeout, ChildDied) as failure:
            self._given_up = failure
            raise

    def observe(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        request: Callable[[Child, float], Any],
        again: Callable[[], Traced] | None = None,
    ) -> Any:
        """Make a call and remember what came of it."""
        try:
            value = self.ask(request)
        except StudentError as error:
            self.calls.append(Observation(args, kwargs, error, again))
            raise
        self.calls.append(Observation(args, kwargs, value, again))
        return value

    def observe_as(self, args: tuple[Any, ...], call: Callable[[], Any], again: Callable[[], Traced]) -> Any:
        """Remember several requests as one call with the arguments of the task's reference.

        Args:
            args: arguments of the reference.
            call: makes the requests and returns the value; what it calls is not remembered by itself.
            again: makes the last request once more with its steps.

        Returns:
            The value.

        Raises:
            StudentFailure: no value came back.
        """
        before = len(self.calls)
        got: Any = None
        try:
            got = call()
        except StudentError as error:
            got = error
            raise
        finally:
            del self.calls[before:]
            if got is not None:
                self.calls.append(Observation(args, {}, got, again))
        return got

    def advise(self, mistake_id: str) -> None:
        """Have the student told of a mistake that costs no points here."""
        self.advice.append(mistake_id)


def bare(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Put the jail's own handles in the place of objects made by `make`."""
    return tuple(map(_bare, args)), {name: _bare(value) for name, value in kwargs.items()}


def _bare(value: Any) -> Any:
    return value.kept if isinstance(value, RemoteObject) else value
