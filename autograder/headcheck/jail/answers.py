"""Read an answer of a child: hostile data that is taken apart field by field."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from headcheck.jail import wire
from headcheck.jail.errors import UNSENDABLE, ProtocolViolation, Unsendable
from headcheck.jail.remote import Step, read_steps
from headcheck.jail.results import CellError
from headcheck.jail.wire import clean

_NAME_LIMIT = 200
_MESSAGE_LIMIT = 2000
_MAX_LINE = 1 << 20


@dataclass(frozen=True)
class Answer:
    """What a child says about one request; of value, kept, missing, unsendable and error just one is set.

    Attributes:
        value: the value of a call or variable, or the text of a cell's result.
        kept: name of the class of an object that stayed in the child.
        missing: there is no such name, or nothing to call.
        unsendable: the value cannot cross the wall.
        error: the student's code raised.
        late: with `error`: it was interrupted because its time was up.
    """

    value: Any = None
    kept: str | None = None
    missing: bool = False
    unsendable: Unsendable | None = None
    error: CellError | None = None
    late: bool = False
    steps: tuple[Step, ...] = ()


def parse(header: dict[str, Any], payload: bytes | bytearray, *, traced: bool = False) -> Answer:
    """Check and decode an answer.

    Args:
        header: its header.
        payload: the bytes of its tensors.
        traced: whether steps were asked for; nobody else may send some.

    Raises:
        ProtocolViolation: it has not the form of an answer.
    """
    if traced and "steps" in header:
        return _with_steps(header, payload)
    fields = set(header) - {"id"}
    for form, read in _FORMS.items():
        if fields == set(form):
            return read(header, payload)
    raise ProtocolViolation("not an answer")


def _with_steps(header: dict[str, Any], payload: bytes | bytearray) -> Answer:
    """Take an answer and its steps apart; their tensors lie one after the other in the same payload."""
    value, steps = wire.decode(["t", header.get("value"), header["steps"]], payload)
    bare = parse({**{key: item for key, item in header.items() if key != "steps"}, **_no_value(header)}, b"")
    return replace(bare, value=value, steps=read_steps(steps))


def _no_value(header: dict[str, Any]) -> dict[str, None]:
    return {"value": None} if "value" in header else {}


def _value(header: dict[str, Any], payload: bytes | bytearray) -> Answer:
    return Answer(value=wire.decode(header["value"], payload))


def _kept(header: dict[str, Any], payload: bytes | bytearray) -> Answer:
    return Answer(kept=_text(header["kept"], _NAME_LIMIT))


def _missing(header: dict[str, Any], payload: bytes | bytearray) -> Answer:
    return Answer(missing=True)


def _unsendable(header: dict[str, Any], payload: bytes | bytearray) -> Answer:
    pair = header["unsendable"]
    if not isinstance(pair, list) or len(pair) != 2:
        raise ProtocolViolation("not a reason")
    code, detail = pair
    if not isinstance(code, str) or code not in UNSENDABLE:
        raise ProtocolViolation("not a reason")
    return Answer(unsendable=Unsendable(code, _text(detail, _NAME_LIMIT)))


def _error(header: dict[str, Any], payload: bytes | bytearray) -> Answer:
    told = header["error"]
    if not isinstance(told, dict) or set(told) != {"type", "message", "cell", "line", "traceback"}:
        raise ProtocolViolation("not an error")
    error = CellError(
        type_name=_text(told["type"], _NAME_LIMIT),
        message=_text(told["message"], _MESSAGE_LIMIT),
        line=_place(told["line"]),
        traceback=_text(told["traceback"], 3 * _MESSAGE_LIMIT),
        cell=_place(told["cell"]),
    )
    return Answer(error=error, late=header["late"] is True)


_FORMS: dict[tuple[str, ...], Callable[[dict[str, Any], bytes | bytearray], Answer]] = {
    ("value",): _value,
    ("kept",): _kept,
    ("missing",): _missing,
    ("unsendable",): _unsendable,
    ("error", "late"): _error,
}


def _text(value: object, limit: int) -> str:
    if not isinstance(value, str):
        raise ProtocolViolation("not a text")
    return clean(value, limit)


def _place(value: object) -> int | None:
    if value is None:
        return None
    if type(value) is not int or not 0 <= value <= _MAX_LINE:
        raise ProtocolViolation("not a place")
    return value
