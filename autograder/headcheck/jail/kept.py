"""The agent's requests about objects: calls that keep their result, attributes, gradients, seeds."""

import random
from collections.abc import Callable
from typing import Any

import numpy
import torch

from headcheck.jail import wire
from headcheck.jail.errors import Unsendable
from headcheck.jail.tracing import Recorder

Reply = tuple[dict[str, Any], list[bytes]]

MISSING: Reply = ({"missing": True}, [])


class Kept:
    """Answers requests about named values of the notebook and about objects that were kept from earlier calls."""

    def __init__(self, variables: dict[str, Any]) -> None:
        self._variables = variables
        self._objects: dict[int, Any] = {}

    def call(self, header: dict[str, Any], payload: bytes) -> Reply:
        """Call a named function, a kept object, or a method of it, and send, keep or drop the result."""
        target = self._target(header)
        if not callable(target):
            return MISSING
        args, kwargs = wire.decode(header["value"], payload, self._objects)
        if header["traced"]:
            return _traced(lambda: target(*args, **kwargs))
        result = target(*args, **kwargs)
        if header["result"] == "nothing":
            return {"value": None}, []
        if header["result"] == "keep":
            self._objects[header["number"]] = result
            return {"kept": type.__dict__["__name__"].__get__(type(result))[:200]}, []
        return send(result)

    def get(self, header: dict[str, Any], payload: bytes) -> Reply:
        """Send a variable of the notebook, or an attribute of a kept object."""
        value = self._target(header)
        return MISSING if value is _ABSENT else send(value)

    def gradients(self, header: dict[str, Any], payload: bytes) -> Reply:
        """Call the target and backpropagate a cotangent from its first output."""
        target = self._target(header)
        if not callable(target):
            return MISSING
        args, kwargs, cotangent = wire.decode(header["value"], payload, self._objects)
        inputs = {key: x for key, x in (*enumerate(args), *kwargs.items()) if _differentiable(x)}
        for x in inputs.values():
            x.requires_grad_(True)
        output = target(*args, **kwargs)
        first = output[0] if isinstance(output, (tuple, list)) else output
        parameters = dict(target.named_parameters()) if isinstance(target, torch.nn.Module) else {}
        found = torch.autograd.grad(
            first, [*parameters.values(), *inputs.values()], cotangent.to(first.dtype), allow_unused=True
        )
        by_name = dict(zip(parameters, found, strict=False))
        by_input = dict(zip(inputs, found[len(parameters) :], strict=True))
        return send((first, by_name, by_input))

    def seed(self, header: dict[str, Any], payload: bytes) -> Reply:
        """Seed every random generator that a notebook uses."""
        number = header["number"]
        random.seed(number)
        numpy.random.seed(number % (1 << 32))
        torch.manual_seed(number)
        return {"value": None}, []

    def _target(self, header: dict[str, Any]) -> Any:
        """Find a value among what the notebook defined or what was kept, then follow a dotted path from it."""
        value = self._objects[header["on"]] if "on" in header else self._variables.get(header["name"], _ABSENT)
        for part in header["path"]:
            try:
                value = getattr(value, part)
            except AttributeError:
                return _ABSENT
        return value


_ABSENT = object()


def send(value: object) -> Reply:
    """Encode a value as an answer, or the news that it cannot cross."""
    try:
        tree, buffers = wire.encode(value)
    except Unsendable as error:
        return unsendable(error), []
    return {"value": tree}, buffers


def unsendable(error: Unsendable) -> dict[str, Any]:
    """Describe for the wire why a value cannot cross."""
    return {"unsendable": [error.code, error.detail[:200]]}


class TracedFailure(BaseException):
    """Carries the steps of a call that raised past the agent's own handling of the error."""

    def __init__(self, error: BaseException, steps: list[Any]) -> None:
        super().__init__()
        self.error = error
        self.steps = steps


def _traced(call: Callable[[], Any]) -> Reply:
    recorder = Recorder()
    try:
        with recorder:
            result = call()
    except BaseException as error:
        raise TracedFailure(error, recorder.steps) from None
    return with_steps(send(result), recorder.steps)


def with_steps(reply: Reply, steps: list[Any]) -> Reply:
    """Add the steps of a call to its answer; their tensors follow those of the value."""
    header, buffers = reply
    tree, more = wire.encode(steps)
    return {**header, "steps": tree}, [*buffers, *more]


def _differentiable(value: object) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()
