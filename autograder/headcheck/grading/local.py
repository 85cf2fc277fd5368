"""Stands in for a student's process with code that is trusted: the graders' own tests run without a jail."""

from __future__ import annotations

import contextlib
import io
import random
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

import torch

from headcheck.jail.child import Child
from headcheck.jail.errors import NotDefined, StudentError, Unsendable
from headcheck.jail.remote import Gradients, Remote, Traced

T = TypeVar("T")


class LocalProcess:
    """Answers the requests of hidden tests from a namespace in this process. Never for a student's code."""

    alive = True

    def __init__(self, namespace: Mapping[str, Any]) -> None:
        self._child = LocalChild(namespace)

    def ask(self, request: Callable[[Child, float], T]) -> T:
        """Make one request; see `StudentProcess.ask`."""
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            return request(cast(Child, self._child), 60.0)


class LocalChild:
    """The requests that `headcheck.jail.child.Child` answers; arguments and errors are the same."""

    def __init__(self, namespace: Mapping[str, Any]) -> None:
        self._namespace = namespace
        self._kept: list[Any] = []

    def call(
        self, target: str | Remote, args: Sequence[Any], kwargs: Mapping[str, Any], _s: float, **options: Any
    ) -> Any:
        """Call a function or class of the namespace, an object that was kept, or a method of one."""
        function = self._kept[target.number] if isinstance(target, Remote) else self._namespace.get(target)
        for part in (options.get("method") or "").split("."):
            function = getattr(function, part) if part else function
        if not callable(function):
            raise NotDefined(str(target))
        value = self._run(function, args, kwargs)
        return None if options.get("discard") else self._result(value, bool(options.get("keep")))

    def trace(self, *_args: Any, **_kwargs: Any) -> Traced:
        """Bring no steps along."""
        return Traced(None, None, ())

    def gradients(
        self, target: str | Remote, args: Sequence[Any], kwargs: Mapping[str, Any], cotangent: torch.Tensor, _s: float
    ) -> Gradients:
        """Call and backpropagate."""
        function = self._kept[target.number] if isinstance(target, Remote) else self._namespace[target]
        given = [a.requires_grad_() if _is_float(a) else a for a in map(self._inside, args)]
        value = self._run(function, given, kwargs, copied=True)
        output = value[0] if isinstance(value, (tuple, list)) else value
        self._run(output.backward, [cotangent], {})
        parameters = dict(function.named_parameters()) if isinstance(function, torch.nn.Module) else {}
        return Gradients(
            output.detach().clone(),
            {name: parameter.grad for name, parameter in parameters.items()},
            {index: a.grad for index, a in enumerate(given) if _is_float(a)},
        )

    def state(self, remote: Remote, _s: float) -> dict[str, torch.Tensor]:
        """Return a module's state_dict."""
        return {name: value.detach().clone() for name, value in self._kept[remote.number].state_dict().items()}

    def attribute(self, remote: Remote, path: str, _s: float) -> Any:
        """Return an attribute of an object that was kept."""
        value = self._kept[remote.number]
        for part in path.split("."):
            if not hasattr(value, part):
                raise NotDefined(path)
            value = getattr(value, part)
        return outside(value)

    def seed(self, number: int, _s: float) -> None:
        """Seed the random generators of this process."""
        random.seed(number)
        torch.manual_seed(number)

    def get(self, name: str, _s: float) -> Any:
        """Return a variable of the namespace."""
        if name not in self._namespace:
            raise NotDefined(name)
        return outside(self._namespace[name])

    def _run(
        self, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], copied: bool = False
    ) -> Any:
        try:
            given = args if copied else [self._inside(arg) for arg in args]
            return function(*given, **{name: self._inside(value) for name, value in kwargs.items()})
        except Exception as error:
            raise StudentError(type(error).__name__, str(error)) from error

    def _result(self, value: Any, keep: bool) -> Any:
        if not keep:
            return outside(value)
        self._kept.append(value)
        return Remote(self, len(self._kept) - 1, type(value).__name__)

    def _inside(self, value: Any) -> Any:
        """Give code its own copy of an argument, and its own objects back."""
        if isinstance(value, Remote):
            return self._kept[value.number]
        return outside(value)


def outside(value: Any) -> Any:
    """Copy a value as the way out of the jail does."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, (list, tuple)):
        return (tuple if isinstance(value, tuple) else list)(map(outside, value))
    if isinstance(value, dict):
        return {key: outside(item) for key, item in value.items()}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise Unsendable("type", type(value).__name__)


def _is_float(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()
