"""Read what a person wrote as an answer: forgiving about the spelling, bounded in time, never guessing."""

from __future__ import annotations

import ast
import math
import operator
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

from headcheck.i18n import _

MAX_TEXT = 200
MAX_ITEMS = 16
MAX_DEPTH = 3
MAX_INTEGER = 10**18
MAX_EXPRESSION = 60

_LOOKALIKES = str.maketrans(
    {"\u00a0": " ", "\u202f": " ", "\u2009": " ", "\t": " ", "\n": " ", "\u2212": "-", "\u2019": "'", "\u00d7": "x"}
)
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_GROUPED = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:(?P<mark>[ _.,'])[0-9]{3})(?:(?P=mark)[0-9]{3}){0,5}")
_DECIMAL = re.compile(r"([+-]?[0-9]{1,18})[.,]([0-9]{1,18})")
_COMMA = re.compile(r"[+-]?[0-9]{1,18},[0-9]{1,18}")
_EXPRESSION = re.compile(r"[0-9.e+\-*/() sqrt]+")
_LETTER_MARKS = re.compile(r"[\s,;.:+&()\[\]{}\"']+")
_NUMBER_MARKS = {"en": (".", ","), "tr": (",", "."), "uz": (",", " ")}
"""Language -> the decimal mark, and the mark between groups of digits."""

_SIZE_MARKS = re.compile(r"[,;x* ]+")


class Malformed(Exception):
    """The answer cannot be read in the form that was asked for. This is not the same as a wrong answer."""


def plain(value: object) -> Any:
    """Reduce a value to None, bool, int, float, str and tuples of them.

    Args:
        value: whatever stands in the answer's variable. Arrays of numpy and torch are known without importing either.

    Returns:
        The plain value, with at most 16 items a level, three levels deep.

    Raises:
        Malformed: the value is of another kind, or far too large.
    """
    return _plain(value, MAX_DEPTH)


def _plain(value: object, depth: int) -> Any:
    if value is None or isinstance(value, (bool, float)):
        return value if value is None or isinstance(value, bool) else float(value)
    if isinstance(value, int):
        return _bounded_integer(int(value))
    if isinstance(value, str):
        return _bounded_text(str(value))
    if _is_array(value):
        return _plain(_array_items(value), depth)
    if isinstance(value, (list, tuple)):
        if depth == 0 or len(value) > MAX_ITEMS:
            raise Malformed(_("this list is too long or too deeply nested for an answer"))
        return tuple(_plain(item, depth - 1) for item in value)
    raise Malformed(_("this is of the kind {kind}").format(kind=type(value).__name__[:40]))


def _bounded_integer(value: int) -> int:
    if abs(value) > MAX_INTEGER:
        raise Malformed(_("this integer is far too large"))
    return value


def _bounded_text(text: str) -> str:
    if len(text) > MAX_TEXT:
        raise Malformed(_("this text is {count} characters long").format(count=len(text)))
    return text.translate(_LOOKALIKES).strip()


def _is_array(value: object) -> bool:
    for library, names in (("numpy", ("ndarray", "generic")), ("torch", ("Tensor",))):
        kinds = tuple(getattr(sys.modules.get(library), name, ()) for name in names)
        if isinstance(value, kinds):
            return True
    return False


def _array_items(value: Any) -> object:
    shape = tuple(value.shape)
    if len(shape) > 1 or (shape and shape[0] > MAX_ITEMS):
        raise Malformed(_("this is a whole tensor or array; if you mean its shape, write tuple(x.shape)"))
    try:
        return value.tolist()
    except (RuntimeError, NotImplementedError, TypeError, ValueError) as error:
        raise Malformed(_("this tensor holds no readable numbers")) from error


def is_blank(value: object) -> bool:
    """Say whether nothing was answered: None, or a text of blanks."""
    return value is None or (isinstance(value, str) and len(value) <= MAX_TEXT and not value.strip())


def integer(value: object, language: str | None = None) -> int:
    """Read a whole number: 16640, 16_640, 16640.0, "16 640", "16,640", a numpy scalar, a 0-d tensor.

    Args:
        value: the answer.
        language: whose way of writing numbers decides between two readings of a text; None leaves it undecided.

    Returns:
        The number.

    Raises:
        Malformed: it is no whole number, or it can be read in two ways ("8,000").
    """
    value = plain(value)
    if isinstance(value, bool):
        raise Malformed(_("this is the truth value {value}").format(value=value))
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return _whole(value)
    if isinstance(value, str):
        return _integer_text(value, language)
    raise Malformed(_("this is {seen}").format(seen=shown(value)))


def _whole(value: float) -> int:
    if not math.isfinite(value):
        raise Malformed(_("this is {value}").format(value=value))
    if not value.is_integer():
        raise Malformed(_("{value} is not a whole number").format(value=value))
    return _bounded_integer(int(value))


def _integer_text(text: str, language: str | None) -> int:
    if _WHOLE.fullmatch(text):
        return int(text)
    if match := _GROUPED.fullmatch(text):
        mark, (decimal, group) = match["mark"], _NUMBER_MARKS.get(language or "", ("", ""))
        # "16,640" can only be 16640, because 16.64 is not whole; "8,000" could be 8 as well as 8000.
        if text.count(mark) == 1 and mark in ".," and text.endswith("000") and mark != group:
            if mark == decimal:
                return int(text.partition(mark)[0])
            raise Malformed(_("{text} can be read in two ways; write the digits alone").format(text=shown(text)))
        return int(text.replace(mark, ""))
    if match := _DECIMAL.fullmatch(text):
        if match[2].strip("0"):
            raise Malformed(_("{text} is not a whole number").format(text=shown(text)))
        return int(match[1])
    raise Malformed(_("this is the text {text}").format(text=shown(text)))


def number(value: object, language: str | None = None) -> float:
    """Read a number: 2.83, 8 ** 0.5, "2.83", "2,83", "sqrt(8)", "8**0.5", a numpy scalar, a 0-d tensor.

    Args:
        value: the answer; text may hold + - * / ** ^, parentheses and sqrt.
        language: whose way of writing numbers decides between two readings of a text; None leaves it undecided.

    Returns:
        A finite float.

    Raises:
        Malformed: it is no finite number, or it can be read in two ways ("2,828").
    """
    value = plain(value)
    if isinstance(value, bool):
        raise Malformed(_("this is the truth value {value}").format(value=value))
    if isinstance(value, str):
        value = _number_text(value, language)
    if not isinstance(value, (int, float)):
        raise Malformed(_("this is {seen}").format(seen=shown(value)))
    if not math.isfinite(value):
        raise Malformed(_("this is {value}").format(value=value))
    return float(value)


def _number_text(text: str, language: str | None) -> float:
    decimal, group = _NUMBER_MARKS.get(language or "", ("", ""))
    if match := _GROUPED.fullmatch(text):
        if match["mark"] in " _'":
            return float(text.replace(match["mark"], ""))
        # Three digits behind a point are decimals, but not where the point stands between groups of digits.
        if match["mark"] == ("." if group == "." else ",") and match["mark"] != decimal:
            raise Malformed(_("{text} can be read in two ways; write two decimals").format(text=shown(text)))
    if _COMMA.fullmatch(text):
        text = text.replace(",", ".")
    return _evaluate(text)


def _evaluate(text: str) -> float:
    complaint = Malformed(_("this is the text {text}").format(text=shown(text)))
    source = re.sub(r"\b(?:math|np|numpy|torch)\.", "", text.lower()).replace("^", "**")
    source = source.replace("\\sqrt", "sqrt").translate(str.maketrans("{}", "()")).strip(" x")
    source = re.sub(r"\u221a([0-9.]+)", r"sqrt(\1)", source).replace("\u221a", "sqrt")
    if len(source) > MAX_EXPRESSION or not _EXPRESSION.fullmatch(source):
        raise complaint
    try:
        return _value_of(ast.parse(source, mode="eval").body)
    except (SyntaxError, ValueError, TypeError, ArithmeticError, RecursionError, MemoryError):
        raise complaint from None


_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}


def _value_of(node: ast.AST) -> float:
    """Work out an expression of numbers; everything is a float, so that no power can grow without bound."""
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return float(node.value)  # type: ignore[arg-type]
    if isinstance(node, ast.UnaryOp) and type(node.op) in _OPERATORS:
        return float(_OPERATORS[type(node.op)](_value_of(node.operand)))
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return float(_OPERATORS[type(node.op)](_value_of(node.left), _value_of(node.right)))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "sqrt":
        (argument,) = node.args
        return math.sqrt(_value_of(argument))
    raise ValueError(type(node).__name__)


def sizes(value: object) -> tuple[int, ...]:
    """Read a shape: (4, 8, 10, 8), [4, 8, 10, 8], torch.Size, "(4, 8, 10, 8)", "4x8x10x8".

    Args:
        value: the answer.

    Returns:
        The sizes, each at least 0.

    Raises:
        Malformed: it is no sequence of whole numbers.
    """
    value = plain(value)
    if isinstance(value, str):
        value = _size_texts(value)
    if not isinstance(value, tuple):
        raise Malformed(_("this is {seen}").format(seen=shown(value)))
    read = tuple(integer(item) for item in value)
    if any(size < 0 for size in read):
        raise Malformed(_("a size cannot be negative"))
    return read


def _size_texts(text: str) -> tuple[str, ...]:
    inside = text.lower().removeprefix("torch.").removeprefix("size").strip("()[] ")
    items = tuple(item for item in _SIZE_MARKS.split(inside) if item)
    bracketed = text[:1] in ("(", "[") or text.endswith((")", "]"))
    if not items or len(items) > MAX_ITEMS or (len(items) == 1 and not bracketed):
        raise Malformed(_("this is the text {text}").format(text=shown(text)))
    return items


def letter(value: object, letters: str) -> str:
    """Read the letter of an option: "b", "B", "b)", " (b) ".

    Args:
        value: the answer.
        letters: the letters that stand in front of options, "abcd".

    Returns:
        One of the letters, in lower case.

    Raises:
        Malformed: it is not one of them.
    """
    value = plain(value)
    text = value.strip(" ()[].:\"'").lower() if isinstance(value, str) else ""
    if len(text) == 1 and text in letters:
        return text
    raise Malformed(_("this is {seen}").format(seen=shown(value)))


def letters(value: object, allowed: str) -> frozenset[str]:
    """Read the letters of several options: "a, c", "ac", "A C", "(a) (c)", ["a", "c"], {"a", "c"}.

    Args:
        value: the answer.
        allowed: the letters that stand in front of options, "abcd".

    Returns:
        At least one of the letters, in lower case.

    Raises:
        Malformed: something else stands there too, or nothing at all.
    """
    if isinstance(value, (set, frozenset)) and len(value) <= MAX_ITEMS:
        value = tuple(value)
    value = plain(value)
    items = value if isinstance(value, tuple) else (value,)
    if not all(isinstance(item, str) for item in items):
        raise Malformed(_("this is {seen}").format(seen=shown(value)))
    found = frozenset(_LETTER_MARKS.sub("", "".join(items)).lower())
    if not found or not found <= set(allowed):
        raise Malformed(_("this is {seen}").format(seen=shown(value)))
    return found


def parts(value: object, count: int) -> tuple[Any, ...]:
    """Split an answer that has several parts; the parts themselves stay unread.

    Args:
        value: a tuple or list, or a text such as "(4, 10, 10), b" or "(4, 10, 10); b".
        count: how many parts there are.

    Returns:
        That many values.

    Raises:
        Malformed: it has another number of parts.
    """
    value = plain(value)
    found = _part_texts(value) if isinstance(value, str) else value
    if not isinstance(found, tuple):
        raise Malformed(_("this is {seen}").format(seen=shown(value)))
    if len(found) != count:
        raise Malformed(_("this has {count} parts").format(count=len(found)))
    return found


def _part_texts(text: str) -> tuple[str, ...]:
    pieces = _split_outside_brackets(text)
    if len(pieces) == 1 and text[:1] in ("(", "[") and text.endswith((")", "]")):
        pieces = _split_outside_brackets(text[1:-1])
    return tuple(piece.strip() for piece in pieces)


def _split_outside_brackets(text: str) -> list[str]:
    mark = ";" if ";" in text else ","
    pieces, depth = [""], 0
    for character in text:
        depth += (character in "([") - (character in ")]")
        if character == mark and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += character
    return pieces


def shown(value: object) -> str:
    """Describe a plain value in a few characters, for a message.

    Args:
        value: a value as `plain` returns it.

    Returns:
        At most about 60 characters.
    """
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else value[:40] + "…")
    if isinstance(value, tuple):
        return _("a tuple of {count} values").format(count=len(value))
    return repr(value)


def join(words: Sequence[str]) -> str:
    """Put words into a list as a sentence has it: "1", "1 and 2", "0, 1 and 2"."""
    if len(words) < 2:
        return "".join(words)
    return _("{most} and {last}").format(most=", ".join(words[:-1]), last=words[-1])
