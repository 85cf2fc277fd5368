"""What honest notebooks ask for and a jail cannot give: a harmless stand-in, and a note that says so."""

import functools
import inspect
import sys
from collections.abc import Callable
from typing import Any

import torch
from torch.utils import data

from headcheck.i18n import _

# What is only allowed together with workers.
_ABOUT_WORKERS: dict[str, Any] = {
    "num_workers": 0,
    "prefetch_factor": None,
    "persistent_workers": False,
    "multiprocessing_context": None,
    "timeout": 0,
}


def install() -> None:
    """Put the stand-ins in their places, for all children to come."""
    _load_in_one_process(_("note: while grading, DataLoader loads in one process (num_workers=0)"))
    _compile_nothing(_("note: while grading, torch.compile compiles nothing; the code runs as it is written"))


def _load_in_one_process(note: str) -> None:
    """Processes cannot be started in the jail; a DataLoader that tries would fail or wait for ever."""
    original = data.DataLoader.__init__
    signature = inspect.signature(original)

    @functools.wraps(original)
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        try:
            bound = signature.bind(self, *args, **kwargs)
        except TypeError:
            return original(self, *args, **kwargs)  # it says best what is wrong
        if bound.arguments.get("num_workers"):
            print(note, file=sys.stderr)
            bound.arguments.update(_ABOUT_WORKERS)
        return original(*bound.args, **bound.kwargs)

    data.DataLoader.__init__ = init  # type: ignore[method-assign]


def _compile_nothing(note: str) -> None:
    """A compiler cannot be started in the jail."""

    def compile(model: Callable[..., Any] | None = None, **options: Any) -> Any:
        print(note, file=sys.stderr)
        return (lambda function: function) if model is None else model

    torch.compile = compile
