"""Describe an exception of student code by the student's own cells only: no frames of ours, no paths."""

import linecache
import re
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Any

MESSAGE_LIMIT = 2000
_FRAMES = 8
_CELL = re.compile(r"<cell (\d+)>")

# Leading blank lines are cut off before a cell is compiled; by cell, how many there were.
_blank_lines: dict[int, int] = {}


def cell_filename(index: int, source: str) -> str:
    """Return the file name under which a cell is compiled, and remember where its first line was."""
    lines = source.splitlines()
    _blank_lines[index] = next((i for i, line in enumerate(lines) if line.strip()), 0)
    return f"<cell {index}>"


def describe(error: BaseException) -> dict[str, Any]:
    """Describe an exception for the wire.

    Args:
        error: any exception, its class and its text may be hostile.

    Returns:
        `type`, `message`, `cell`, `line` (None when unknown) and `traceback`, all bounded.
    """
    kind, message = _name(error), _text(error)
    frames = list(_student_frames(error.__traceback__))
    if isinstance(error, SyntaxError) and (place := _syntax_place(error)):
        frames.append(place)
        message = str(error.msg)[:MESSAGE_LIMIT]
    cell, line = frames[-1][:2] if frames else (None, None)
    lines = [text for frame in frames[-_FRAMES:] for text in _frame_lines(*frame)]
    text = "\n".join([*lines, f"{kind}: {message}" if message else kind])
    return {"type": kind, "message": message, "cell": cell, "line": line, "traceback": text[: 2 * MESSAGE_LIMIT]}


def place_of(frame: FrameType) -> tuple[int, int] | None:
    """Return cell and line of a frame, None when it is not in a cell."""
    match = _CELL.fullmatch(frame.f_code.co_filename)
    if match is None:
        return None
    cell = int(match[1])
    return cell, (frame.f_lineno or 0) + _blank_lines.get(cell, 0)


def _name(error: BaseException) -> str:
    name = type.__dict__["__name__"].__get__(type(error))  # not what a metaclass says
    return str(name)[:200]


def _text(error: BaseException) -> str:
    try:
        return str(str(error))[:MESSAGE_LIMIT]
    except BaseException:
        return "(its text could not be made)"


def _student_frames(traceback: TracebackType | None) -> Iterator[tuple[int, int, str]]:
    """Yield cell, line and function of every frame that is in a cell, outermost first."""
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if match := _CELL.fullmatch(code.co_filename):
            cell = int(match[1])
            yield cell, (traceback.tb_lineno or 0) + _blank_lines.get(cell, 0), code.co_name
        traceback = traceback.tb_next


def _syntax_place(error: SyntaxError) -> tuple[int, int, str] | None:
    match = _CELL.fullmatch(str(error.filename))
    if match is None or type(error.lineno) is not int:
        return None
    cell = int(match[1])
    return cell, error.lineno + _blank_lines.get(cell, 0), "<module>"


def _frame_lines(cell: int, line: int, function: str) -> list[str]:
    where = "" if function == "<module>" else f", in {function}"
    source = linecache.getline(f"<cell {cell}>", line - _blank_lines.get(cell, 0)).strip()
    return [f"Cell {cell}, line {line}{where}", *([f"    {source[:200]}"] if source else [])]
