"""What may be told about a call that failed: no text that student code made up while it held hidden inputs.

A student's function sees the hidden inputs of its call. If its exception text reached the feedback, it could carry
them out; so only the kind of error and the line of the student's own code are told.
"""

from __future__ import annotations

import builtins

import numpy
import torch

from headcheck.i18n import _
from headcheck.jail.errors import ChildDied, ProtocolViolation, StudentError, StudentFailure, Unsendable

ALLOCATION_FAILED = "can't allocate memory"
"""Stands in torch's RuntimeError when a tensor is too large."""


def crash_words(name: str, error: StudentError) -> str:
    """Say that a function raised.

    Args:
        name: the student's function.
        error: what came back.

    Returns:
        A sentence without the exception's own text.
    """
    if error.type_name == "MemoryError" or ALLOCATION_FAILED in error.message:
        return _("{name} asked for more memory than there is").format(name=name)
    kind = error.type_name if _is_builtin_error(error.type_name) else _("an exception")
    if error.line is None:
        return _("{name} raised {kind}").format(name=name, kind=kind)
    return _("{name} raised {kind} in line {line} of its cell").format(name=name, kind=kind, line=error.line)


def failure_words(failure: StudentFailure) -> str:
    """Say why no value came back.

    Args:
        failure: what happened.

    Returns:
        A sentence; names of the student's own making are left out.
    """
    if isinstance(failure, Unsendable) and not _is_library_name(failure.detail):
        return _("the value is of a kind that cannot be handed over; return numbers, tuples, lists or tensors")
    if isinstance(failure, ChildDied):
        return _("the notebook's process ended in the middle of this task ({reason})").format(reason=failure)
    if isinstance(failure, ProtocolViolation):
        return _("what came back was not an answer, so the notebook's process was ended")
    return str(failure)


def _is_builtin_error(name: str) -> bool:
    found = getattr(builtins, name, None)
    return isinstance(found, type) and issubclass(found, BaseException)


def _is_library_name(name: str) -> bool:
    bare = name.removeprefix("torch.")
    return bare.isidentifier() and any(hasattr(place, bare) for place in (builtins, torch, torch.nn, numpy))
