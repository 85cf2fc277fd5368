"""Objects that stay in the child, and what can be learned about a call: its gradients, its steps."""

from dataclasses import dataclass
from typing import Any

import torch

from headcheck.jail.errors import ProtocolViolation, StudentFailure
from headcheck.jail.wire import clean

MAX_STEPS = 64
MAX_STEP_BYTES = 4 << 20
_NAME_LIMIT = 100
_MAX_PLACE = 1 << 20


@dataclass(frozen=True, eq=False)
class Remote:
    """An object of the student's that stays where it is; it can be called, asked, and passed as an argument.

    Attributes:
        owner: the `Child` that holds it.
        number: its number there, chosen by us.
        type_name: name of its class, a claim of the student's process.
    """

    owner: object
    number: int
    type_name: str


@dataclass(frozen=True)
class Gradients:
    """What backpropagating a cotangent through a call gave; None where nothing arrives.

    Attributes:
        output: the (first) output of the call.
        parameters: gradient by name of the parameter; empty for a plain function.
        inputs: gradient by position or name of the argument, for arguments that are floating point tensors.
    """

    output: torch.Tensor
    parameters: dict[str, torch.Tensor | None]
    inputs: dict[int | str, torch.Tensor | None]


@dataclass(frozen=True)
class Step:
    """One torch operation inside a call: a hint from a hostile process, never evidence.

    Attributes:
        function: its name, such as "softmax".
        cell: index of the cell that the innermost line of student code is in.
        line: that line, counted from 1.
        outputs: what it returned; empty when it was too large to keep.
    """

    function: str
    cell: int | None
    line: int | None
    outputs: tuple[torch.Tensor, ...]


@dataclass(frozen=True)
class Traced:
    """A call with its steps.

    Attributes:
        value: what it returned, None when it failed.
        error: why there is no value (StudentError, Unsendable), None when there is one.
        steps: its first steps, at most `MAX_STEPS`.
    """

    value: Any
    error: StudentFailure | None
    steps: tuple[Step, ...]


def read_gradients(value: object) -> Gradients:
    """Check the form of gradients that a child sent.

    Raises:
        ProtocolViolation: they have another form.
    """
    if not isinstance(value, tuple) or len(value) != 3:
        raise ProtocolViolation("not gradients")
    output, parameters, inputs = value
    if not isinstance(output, torch.Tensor) or not isinstance(parameters, dict) or not isinstance(inputs, dict):
        raise ProtocolViolation("not gradients")
    for gradient in (*parameters.values(), *inputs.values()):
        if gradient is not None and not isinstance(gradient, torch.Tensor):
            raise ProtocolViolation("not a gradient")
    return Gradients(output, {str(name): gradient for name, gradient in parameters.items()}, inputs)


def read_steps(value: object) -> tuple[Step, ...]:
    """Check the form of steps that a child sent.

    Raises:
        ProtocolViolation: they have another form, or there are too many.
    """
    if not isinstance(value, list) or len(value) > MAX_STEPS:
        raise ProtocolViolation("not steps")
    steps = tuple(map(_step, value))
    if sum(x.numel() * x.element_size() for step in steps for x in step.outputs) > MAX_STEP_BYTES:
        raise ProtocolViolation("steps too large")
    return steps


def _step(value: object) -> Step:
    if not isinstance(value, tuple) or len(value) != 4:
        raise ProtocolViolation("not a step")
    name, cell, line, outputs = value
    if not isinstance(name, str) or not isinstance(outputs, tuple):
        raise ProtocolViolation("not a step")
    if not all(isinstance(output, torch.Tensor) for output in outputs):
        raise ProtocolViolation("not a step")
    return Step(clean(name, _NAME_LIMIT), _place(cell), _place(line), outputs)


def _place(value: object) -> int | None:
    if value is not None and (type(value) is not int or not 0 <= value <= _MAX_PLACE):
        raise ProtocolViolation("not a place")
    return value
