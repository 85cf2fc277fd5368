"""The bytes that cross the wall: values as a small tagged JSON tree plus raw tensor buffers. No pickle, ever.

A frame is `u32 header length | u64 payload length | header | payload` (little endian). The header is one JSON object.
In it, a value is a JSON scalar for None, bool, int, float and str; all else is an array that begins with its tag:

    ["l", item...]  ["t", item...]              list, tuple
    ["d", key, value, key, value...]            dict
    ["T", dtype, [size...]]                     tensor; its bytes are the next ones of the payload
    ["R", number]                               an object that stayed in the child; only towards the child

Since a list is itself tagged, no value can be mistaken for another one. Tensors take the payload in order and must use
it up, so that the decoded tensors together are never larger than what was received.
"""

import json
import math
import re
import struct
from collections.abc import Callable, Mapping
from typing import Any

import numpy
import torch

from headcheck.jail.errors import ProtocolViolation, StudentFailure, Unsendable

PREFIX = struct.Struct("<IQ")
MAX_HEADER = 1 << 20
MAX_PAYLOAD = 64 << 20
MAX_DEPTH = 20
MAX_NODES = 100_000
MAX_TENSORS = 4096
MAX_DIMS = 12
MAX_BITS = 4096

DTYPES: dict[str, torch.dtype] = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (
        torch.float32, torch.float64, torch.float16, torch.bfloat16,
        torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool,
    )
}  # fmt: skip
_NAMES = {dtype: name for name, dtype in DTYPES.items()}
_NUMPY_DTYPES = ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool")

# Terminal sequences, C0 and C1 controls without tab and newline, bidirectional overrides, lone surrogates.
_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def clean(text: str, limit: int | None = None) -> str:
    """Make a text from the student's process safe to print and to store: no control characters, bounded length."""
    plain = _CONTROLS.sub("", _ESCAPES.sub("", text[: 2 * limit] if limit else text))
    return plain[:limit]


def frame(header: dict[str, Any], buffers: list[bytes]) -> list[bytes]:
    """Pack one frame as pieces to be sent one after the other.

    Raises:
        Unsendable: it is larger than a frame may be.
    """
    packed = json.dumps(header, separators=(",", ":")).encode()
    if len(packed) > MAX_HEADER:
        raise Unsendable("size", f"{MAX_HEADER >> 20} MB")
    return [PREFIX.pack(len(packed), sum(map(len, buffers))) + packed, *buffers]


def lengths(prefix: bytes | bytearray) -> tuple[int, int]:
    """Read a frame's first bytes.

    Returns:
        Length of the header and of the payload, bytes.

    Raises:
        ProtocolViolation: a length beyond the caps.
    """
    header, payload = PREFIX.unpack(prefix)
    if header > MAX_HEADER or payload > MAX_PAYLOAD:
        raise ProtocolViolation("frame too large")
    return header, payload


def parse_header(raw: bytes | bytearray) -> dict[str, Any]:
    """Parse hostile bytes as the header of a frame.

    Raises:
        ProtocolViolation: they are no JSON object, or one with a key twice.
    """
    header = _guarded(lambda: json.loads(bytes(raw).decode(), object_pairs_hook=_object))
    if not isinstance(header, dict):
        raise ProtocolViolation("the header is not an object")
    return header


def encode(value: object, number_of: Callable[[object], int | None] | None = None) -> tuple[Any, list[bytes]]:
    """Turn a value into its tree and its buffers; safe on any object, in the student's process too.

    Args:
        value: what is to cross the wall.
        number_of: tells the number of an object that stands for one kept in the child, None for all others.

    Returns:
        The JSON-able tree, and one buffer per tensor.

    Raises:
        Unsendable: the value is of no kind that crosses the wall; the code and detail say why.
    """
    encoder = _Encoder(number_of)
    return encoder.tree(value, 0), encoder.buffers


def decode(tree: object, payload: bytes | bytearray, kept: Mapping[int, Any] | None = None) -> Any:
    """Rebuild a value from a hostile tree and payload.

    Args:
        tree: the value's tree.
        payload: the bytes of its tensors.
        kept: objects by their number; only the child has some.

    Returns:
        None, bool, int, float, str, list, tuple, dict or plain `torch.Tensor`, nested.

    Raises:
        ProtocolViolation: for anything else, whatever is wrong with it.
    """
    return _guarded(lambda: _Decoder(payload, kept or {}).value(tree))


def _guarded(build: Callable[[], Any]) -> Any:
    """Run a decoder; no exception but `ProtocolViolation` comes out of it."""
    try:
        return build()
    except StudentFailure:
        raise
    except Exception as error:  # RecursionError, MemoryError and all that a hostile byte can cause
        raise ProtocolViolation(f"malformed answer ({type(error).__name__})") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ProtocolViolation("a key twice")
    return found


class _Encoder:
    """Encodes one value; counts nodes and bytes as it goes."""

    def __init__(self, number_of: Callable[[object], int | None] | None) -> None:
        self.number_of = number_of
        self.buffers: list[bytes] = []
        self.nodes = 0
        self.size = 0

    def tree(self, value: object, depth: int) -> Any:
        self.nodes += 1
        if depth > MAX_DEPTH:
            raise Unsendable("depth", str(MAX_DEPTH))
        if self.nodes > MAX_NODES:
            raise Unsendable("size", f"{MAX_NODES} elements")
        if isinstance(value, list):
            return ["l", *(self.tree(item, depth + 1) for item in list.__iter__(value))]
        if isinstance(value, tuple):
            return ["t", *(self.tree(item, depth + 1) for item in tuple.__iter__(value))]
        if isinstance(value, dict):
            return self._dict(value, depth)
        if isinstance(value, torch.Tensor):
            return self._tensor(value)
        if isinstance(value, numpy.ndarray):
            return self._array(value)
        if self.number_of is not None and (number := self.number_of(value)) is not None:
            return ["R", number]
        return _scalar(value)

    def _dict(self, value: dict[object, object], depth: int) -> list[Any]:
        flat: list[Any] = ["d"]
        for key, item in list(dict.items(value)):
            flat += [_key(key), self.tree(item, depth + 1)]
        return flat

    def _array(self, value: "numpy.ndarray[Any, Any]") -> list[Any]:
        if value.dtype.name not in _NUMPY_DTYPES:
            raise Unsendable("dtype", value.dtype.name)
        if value.nbytes > MAX_PAYLOAD:
            raise Unsendable("size", f"{MAX_PAYLOAD >> 20} MB")
        native = value.astype(value.dtype.newbyteorder("="), order="C", subok=False)
        return self._tensor(torch.from_numpy(native))

    def _tensor(self, value: torch.Tensor) -> list[Any]:
        with torch._C.DisableTorchFunctionSubclass():  # a subclass may not answer in the tensor's place
            name = _checked_dtype(value)
            plain = torch.Tensor.detach(value).as_subclass(torch.Tensor)
            self._reserve(plain)
            self.buffers.append(_bytes_of(plain))
            return ["T", name, [int(size) for size in plain.shape]]

    def _reserve(self, tensor: torch.Tensor) -> None:
        """Check a tensor's size before a contiguous copy of it is made (an expanded one may be huge)."""
        if tensor.ndim > MAX_DIMS or not _sane(list(tensor.shape)):
            raise Unsendable("shape", str(tuple(tensor.shape)))
        self.size += tensor.numel() * tensor.element_size()
        if self.size > MAX_PAYLOAD:
            raise Unsendable("size", f"{MAX_PAYLOAD >> 20} MB")
        if len(self.buffers) >= MAX_TENSORS:
            raise Unsendable("size", f"{MAX_TENSORS} tensors")


def _scalar(value: object) -> Any:
    """Encode a value without parts; numpy's scalars and subclasses become Python's own."""
    if isinstance(value, numpy.generic):
        value = value.item()
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, str):
        return str.__str__(value)
    raise Unsendable("type", type(value).__name__)


def _integer(value: int) -> int:
    number = int.__int__(value)
    if number.bit_length() > MAX_BITS:
        raise Unsendable("number", str(number.bit_length()))
    return number


def _key(key: object) -> str | int:
    if isinstance(key, numpy.integer):
        key = int(key)
    if isinstance(key, bool) or not isinstance(key, (str, int)):
        raise Unsendable("key", type(key).__name__)
    if isinstance(key, int):
        return _integer(key)
    if clean(key) != key:  # else two keys could become one on the other side
        raise Unsendable("text")
    return str.__str__(key)


def _checked_dtype(tensor: torch.Tensor) -> str:
    if tensor.layout != torch.strided:
        raise Unsendable("layout", str(tensor.layout).removeprefix("torch."))
    if tensor.device.type != "cpu":
        raise Unsendable("device", tensor.device.type)
    if tensor.dtype not in _NAMES:
        raise Unsendable("dtype", str(tensor.dtype).removeprefix("torch."))
    return _NAMES[tensor.dtype]


def _bytes_of(tensor: torch.Tensor) -> bytes:
    if tensor.numel() == 0:
        return b""
    flat = tensor.resolve_neg().contiguous().reshape(-1)
    return bytes(flat.view(torch.uint8).numpy().tobytes())


def _sane(shape: list[int]) -> bool:
    """Whether a shape is one that torch can hold, zero-sized dimensions included."""
    return all(0 <= size < 1 << 31 for size in shape) and math.prod(max(1, size) for size in shape) <= 1 << 40


class _Decoder:
    """Decodes one hostile value; trusts nothing but the length of the payload it holds."""

    def __init__(self, payload: bytes | bytearray, kept: Mapping[int, Any]) -> None:
        self.payload = memoryview(payload)
        self.kept = kept
        self.used = 0
        self.nodes = 0
        self.tensors = 0

    def value(self, tree: object) -> Any:
        result = self.node(tree, 0)
        if self.used != len(self.payload):
            raise ProtocolViolation("bytes left over")
        return result

    def node(self, tree: object, depth: int) -> Any:
        self.nodes += 1
        if depth > MAX_DEPTH or self.nodes > MAX_NODES:
            raise ProtocolViolation("value too deep or too large")
        if tree is None or isinstance(tree, (bool, float)):
            return tree
        if isinstance(tree, int):
            return _bounded(tree)
        if isinstance(tree, str):
            return clean(tree)
        if not isinstance(tree, list) or not tree:
            raise ProtocolViolation("not a value")
        return self._tagged(tree[0], tree[1:], depth)

    def _tagged(self, tag: object, items: list[Any], depth: int) -> Any:
        if tag == "l":
            return [self.node(item, depth + 1) for item in items]
        if tag == "t":
            return tuple(self.node(item, depth + 1) for item in items)
        if tag == "d":
            return self._dict(items, depth)
        if tag == "T" and len(items) == 2:
            return self._tensor(*items)
        if tag == "R" and len(items) == 1 and items[0] in self.kept:
            return self.kept[items[0]]
        raise ProtocolViolation("unknown tag")

    def _dict(self, items: list[Any], depth: int) -> dict[str | int, Any]:
        if len(items) % 2:
            raise ProtocolViolation("a key without a value")
        found: dict[str | int, Any] = {}
        for key, item in zip(items[::2], items[1::2], strict=True):
            if type(key) not in (str, int) or key in found or (type(key) is str and clean(key) != key):
                raise ProtocolViolation("bad key")
            found[_bounded(key) if type(key) is int else key] = self.node(item, depth + 1)
        return found

    def _tensor(self, name: object, shape: object) -> torch.Tensor:
        self.tensors += 1
        if not isinstance(name, str) or name not in DTYPES or self.tensors > MAX_TENSORS:
            raise ProtocolViolation("bad tensor")
        if not isinstance(shape, list) or len(shape) > MAX_DIMS or not all(type(size) is int for size in shape):
            raise ProtocolViolation("bad shape")
        if not _sane(shape):
            raise ProtocolViolation("impossible shape")
        return self._take(DTYPES[name], shape)

    def _take(self, dtype: torch.dtype, shape: list[int]) -> torch.Tensor:
        length = math.prod(shape) * dtype.itemsize
        if length > len(self.payload) - self.used:
            raise ProtocolViolation("tensor larger than its bytes")
        if length == 0:
            return torch.empty(shape, dtype=dtype)
        own = bytearray(self.payload[self.used : self.used + length])
        self.used += length
        if dtype == torch.bool:  # any other byte than 0 and 1 in a bool is undefined behaviour
            return (torch.frombuffer(own, dtype=torch.uint8) != 0).reshape(shape)
        return torch.frombuffer(own, dtype=dtype).reshape(shape)


def _bounded(number: int) -> int:
    if number.bit_length() > MAX_BITS:
        raise ProtocolViolation("integer too large")
    return number
