"""Records the torch operations of a call inside the student's process, with the line of his code behind each."""

import sys
from types import FrameType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from headcheck.jail import faults
from headcheck.jail.wire import DTYPES

MAX_STEPS = 64
_MAX_BYTES = 3 << 20  # less than the other side accepts
_MAX_TENSOR_BYTES = 1 << 20
_MAX_TENSORS = 4  # of one operation
_MAX_FRAMES = 30
_DTYPES = frozenset(DTYPES.values())


class Recorder(TorchFunctionMode):
    """Keeps the first operations that come from a cell, directly or through a library function it calls."""

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[tuple[str, int, int, tuple[torch.Tensor, ...]]] = []
        self._bytes = 0

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run one operation and remember what it gave."""
        result = func(*args, **(kwargs or {}))
        if len(self.steps) < MAX_STEPS and (place := _student_line()) is not None:
            self._remember(func, place, result)
        return result

    def _remember(self, func: Any, place: tuple[int, int], result: object) -> None:
        tensors = [x for x in (result if isinstance(result, (tuple, list)) else (result,)) if _is_plain(x)]
        if tensors:
            self.steps.append((_name(func), *place, self._copies(tensors[:_MAX_TENSORS])))

    def _copies(self, tensors: list[torch.Tensor]) -> tuple[torch.Tensor, ...]:
        """Copy the values, since later lines may change them in place; nothing when there is no room."""
        size = sum(x.numel() * x.element_size() for x in tensors)
        if size > _MAX_TENSOR_BYTES or self._bytes + size > _MAX_BYTES:
            return ()
        self._bytes += size
        return tuple(x.detach().clone() for x in tensors)


def _is_plain(value: object) -> bool:
    if not isinstance(value, torch.Tensor):
        return False
    return value.layout == torch.strided and value.device.type == "cpu" and value.dtype in _DTYPES


def _name(func: Any) -> str:
    """Name an operation; the getter of an attribute goes by the attribute's name."""
    name = getattr(func, "__name__", "")
    if name == "__get__":
        name = getattr(getattr(func, "__self__", None), "__name__", name)
    return str(name)[:100]


def _student_line() -> tuple[int, int] | None:
    """Return cell and line of the innermost frame that is in a cell."""
    frame: FrameType | None = sys._getframe(2)
    for _ in range(_MAX_FRAMES):
        if frame is None:
            return None
        if (place := faults.place_of(frame)) is not None:
            return place
        frame = frame.f_back
    return None
