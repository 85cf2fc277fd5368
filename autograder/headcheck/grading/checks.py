"""What hidden graders are written with: `task`, `compare`, `expect_raises`, `award`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pytest
import torch

from headcheck.diagnosis.match import as_tensor, is_number
from headcheck.grading.words import crash_words
from headcheck.i18n import N_, _
from headcheck.jail.errors import StudentError

ATOL = 1e-5
"""Absolute tolerance: the worst rounding error of correct variants is 2.4e-6, the weakest real mistake 7e-5."""

RTOL = 1e-5

F = TypeVar("F", bound=Callable[..., Any])


def task(name: str, points: float, kept_for: str = "") -> Callable[[F], F]:
    """Say which task a hidden test belongs to and what it is worth.

    Args:
        name: task name, the `grade_id` of the solution cell.
        points: points of this test; the tests of a task add up to the points of its test cell.
        kept_for: why the test stays although no known mistake fails it alone (`headcheck selftest` asks).

    Returns:
        A decorator for a pytest test function.
    """
    return pytest.mark.task(name=name, points=points, kept_for=kept_for)


@dataclass(eq=False)
class WrongAnswer(AssertionError):
    """A value was compared and is not what it should be.

    Args:
        message: what was seen, for the student: no hidden input and no expected value in it.
        fraction: share of the test's points that is earned all the same, 0 to 1.
        mistakes: ids of mistakes that the check itself could name.
        state: `not_attempted` when there is no answer yet, `malformed` when it cannot be read, else None.
    """

    message: str
    fraction: float = 0.0
    mistakes: Sequence[str] = ()
    state: str | None = None

    def __str__(self) -> str:
        return self.message


@dataclass(eq=False)
class Mismatch(WrongAnswer):
    """A student's function returned something else than the reference; diagnosis can replay the same call."""

    function: str = ""
    inputs: tuple[Any, ...] = ()
    named_inputs: Mapping[str, Any] = field(default_factory=dict)
    got: Any = None
    """The student's value, or the StudentError that the call ended with."""
    expected: Any = None


def differences(
    got: Any, expected: Any, atol: float = ATOL, rtol: float = RTOL, what: str = "", parts: Sequence[str] = ()
) -> str | None:
    """Compare a student's value with the expected one.

    Strict about kind, shape and finiteness, lenient about precision: float64 for float32 is fine, NaN never is.

    Args:
        got: value from the jail (plain Python values and `torch.Tensor`).
        expected: value that the trusted process computed.
        atol: absolute tolerance.
        rtol: relative tolerance.
        what: name of the part that is compared ("the output"), for the message.
        parts: names of the values of a tuple or list.

    Returns:
        None when they agree, else one sentence for the student that gives no expected number away.
    """
    label = what or _("the result")
    if isinstance(expected, torch.Tensor):
        return _tensor_difference(got, expected, atol, rtol, label)
    if isinstance(expected, (tuple, list)):
        return _sequence_difference(got, expected, atol, rtol, label, parts)
    if isinstance(expected, dict):
        return _dict_difference(got, expected, atol, rtol, label)
    if isinstance(expected, float):
        return _number_difference(got, expected, atol, rtol, label)
    got = got.item() if isinstance(got, torch.Tensor) and got.ndim == 0 else got
    if isinstance(got, float) and type(expected) is int and got.is_integer():
        got = int(got)  # what a division left is as good as a whole number
    if type(got) is not type(expected):
        return _wrong_kind(label, got, kind(expected))
    return None if got == expected else _("{what} should have another value").format(what=label)


KINDS = {
    bool: N_("True or False"),
    int: N_("a whole number"),
    float: N_("a number"),
    str: N_("a text"),
    list: N_("a list"),
    tuple: N_("a tuple"),
    dict: N_("a dictionary"),
}
"""The kinds of values that come out of the jail, tensors and None aside."""


def kind(value: Any) -> str:
    """Name the kind of a value in words ("a tensor of shape (2, 3)", "None", "a list")."""
    if value is None:
        return "None"
    if isinstance(value, torch.Tensor):
        return _("a tensor of shape {shape}").format(shape=shown_shape(value))
    return _(KINDS[type(value)])


def shown_shape(value: torch.Tensor) -> str:
    """Write a shape of a student's tensor; one with sizes that no honest result has is only called odd."""
    if value.ndim > 6 or any(size > 10_000 for size in value.shape):
        return _("(an odd shape)")
    return str(tuple(value.shape))


def _wrong_kind(label: str, got: Any, wanted: str) -> str:
    return _("{what} should be {expected}, not {got}").format(what=label, got=kind(got), expected=wanted)


def _number_difference(got: Any, expected: float, atol: float, rtol: float, label: str) -> str | None:
    value = as_tensor(got) if is_number(got) else got
    if not isinstance(value, torch.Tensor):
        return _wrong_kind(label, got, _("a number"))
    return _tensor_difference(value, as_tensor(expected), atol, rtol, label)


def _dict_difference(got: Any, expected: dict[Any, Any], atol: float, rtol: float, label: str) -> str | None:
    if not isinstance(got, dict):
        return _wrong_kind(label, got, kind(expected))
    if got.keys() != expected.keys():
        return _("{what} should have these keys: {keys}").format(what=label, keys=", ".join(map(str, expected)))
    parts = (
        differences(got[key], value, atol, rtol, _("{key} of {what}").format(key=key, what=label))
        for key, value in expected.items()
    )
    return next((found for found in parts if found is not None), None)


def _sequence_difference(
    got: Any, expected: Sequence[Any], atol: float, rtol: float, label: str, parts: Sequence[str]
) -> str | None:
    if not isinstance(got, (tuple, list)):
        return _("{what} should be {count} values, not {got}").format(what=label, got=kind(got), count=len(expected))
    if len(got) != len(expected):
        return _("{what} should be {count} values, not {got}").format(what=label, got=len(got), count=len(expected))
    for position, (g, e) in enumerate(zip(got, expected, strict=True), start=1):
        part = parts[position - 1] if parts else _("value {position} of {what}").format(position=position, what=label)
        if (found := differences(g, e, atol, rtol, part)) is not None:
            return found
    return None


def _tensor_difference(got: Any, expected: torch.Tensor, atol: float, rtol: float, label: str) -> str | None:
    if type(got) is not torch.Tensor:
        return _wrong_kind(label, got, _("a tensor"))
    if got.shape != expected.shape:
        return _("{what} should have shape {expected}, not {got}").format(
            what=label, got=shown_shape(got), expected=tuple(expected.shape)
        )
    if got.dtype == torch.bool or expected.dtype == torch.bool:
        if got.dtype != expected.dtype:
            return _("{what} should hold {expected} values, not {got}").format(
                what=label, got=str(got.dtype)[6:], expected=str(expected.dtype)[6:]
            )
        return None if torch.equal(got, expected) else _("some values of {what} are wrong").format(what=label)
    ours, theirs = expected.to(torch.float64), got.to(torch.float64)
    if bool(torch.isnan(theirs).any()) and not bool(torch.isnan(ours).any()):
        return _("there is NaN in {what}").format(what=label)
    if torch.allclose(theirs, ours, atol=atol, rtol=rtol, equal_nan=False):
        return None
    wrong = int((~torch.isclose(theirs, ours, atol=atol, rtol=rtol)).sum())
    if wrong == ours.numel() > 1:
        text = _("all {total} numbers of {what} are wrong; the shape {shape} is right")
    else:
        text = _("{wrong} of the {total} numbers of {what} are wrong; the shape {shape} is right")
    return text.format(what=label, shape=tuple(got.shape), wrong=wrong, total=ours.numel())


def compare(
    function: Callable[..., Any],
    reference: Callable[..., Any],
    *args: Any,
    atol: float = ATOL,
    rtol: float = RTOL,
    parts: Sequence[str] = (),
    **kwargs: Any,
) -> Any:
    """Call the student's function and the reference with the same inputs and demand equal results.

    Args:
        function: a function of the `student` fixture (`student.split_heads`).
        reference: trusted function with the same signature.
        args: inputs, drawn afresh.
        atol: absolute tolerance.
        rtol: relative tolerance.
        parts: names of the values that are returned ("the output"), for the message.
        kwargs: keyword inputs.

    Returns:
        The student's value, for further checks.

    Raises:
        Mismatch: the values differ, or the student's code raised.
        StudentFailure: no value came back (deadline, death, nothing defined).
    """
    expected = reference(*args, **kwargs)
    name = getattr(function, "name", getattr(function, "__name__", "?"))
    try:
        got = function(*args, **kwargs)
    except StudentError as error:
        message = crash_words(name, error)
        raise Mismatch(
            message, function=name, inputs=args, named_inputs=kwargs, got=error, expected=expected
        ) from error
    if (found := differences(got, expected, atol, rtol, parts=parts)) is not None:
        raise Mismatch(f"{name}: {found}", function=name, inputs=args, named_inputs=kwargs, got=got, expected=expected)
    return got


def expect_raises(
    function: Callable[..., Any],
    *args: Any,
    exceptions: Sequence[str] = ("ValueError", "AssertionError"),
    **kwargs: Any,
) -> None:
    """Demand that the student's function refuses these inputs.

    Args:
        function: a function of the `student` fixture.
        args: inputs that must be refused.
        exceptions: class names that count as a refusal.
        kwargs: keyword inputs.

    Raises:
        Mismatch: it returned a value or raised something else.
    """
    name = getattr(function, "name", "?")
    got: Any
    try:
        got = function(*args, **kwargs)
    except StudentError as error:
        if error.type_name in exceptions:
            return
        got, message = (
            error,
            _("{crash}, not a {wanted}").format(crash=crash_words(name, error), wanted=exceptions[0]),
        )
    else:
        message = _("{name} accepted inputs that it should refuse with a {wanted}").format(
            name=name, wanted=exceptions[0]
        )
    raise Mismatch(message, function=name, inputs=args, named_inputs=kwargs, got=got, expected=None)
