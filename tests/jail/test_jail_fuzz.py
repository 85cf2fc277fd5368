"""Whatever bytes come back from a child, they are a value or one protocol violation, in bounded memory."""

import contextlib
import json
import os
import socket
import threading
import time
import tracemalloc
from typing import Any

import pytest
import torch
from headcheck.jail import answers, wire
from headcheck.jail.answers import Answer
from headcheck.jail.channel import Channel, Ended, Late
from headcheck.jail.errors import ProtocolViolation
from headcheck.jail.remote import read_gradients
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st


def frame(header: Any, payload: bytes = b"") -> bytes:
    raw = header if isinstance(header, bytes) else json.dumps(header).encode()
    return wire.PREFIX.pack(len(raw), len(payload)) + raw + payload


def receive(raw: bytes, *, traced: bool = False, deadline_s: float = 20.0) -> Answer:
    """Let a child that is nothing but these bytes answer, over a real socket, and read it as the grader does."""
    ours, theirs = socket.socketpair()
    pipes = [os.pipe() for _ in range(2)]
    readers = [os.fdopen(read, "rb", buffering=0) for read, _write in pipes]
    channel = Channel(ours, *readers)
    sender = threading.Thread(target=_send, args=(theirs, raw))
    sender.start()
    try:
        header, payload = channel.receive(time.monotonic() + deadline_s)
        return answers.parse(header, payload, traced=traced)
    finally:
        channel.close()
        sender.join()
        for _read, write in pipes:
            os.close(write)


def _send(connection: socket.socket, raw: bytes) -> None:
    with connection, contextlib.suppress(OSError):
        connection.sendall(raw)


def tensor(dtype: str, *shape: int) -> list[Any]:
    return ["T", dtype, list(shape)]


ERROR = {"type": "E", "message": "m", "cell": 0, "line": 1, "traceback": "t"}
HOSTILE = {
    "nothing": b"",
    "half a prefix": b"\1\0\0",
    "zero lengths": wire.PREFIX.pack(0, 0),
    "a header that does not come": wire.PREFIX.pack(100, 0) + b"{",
    "a payload that does not come": wire.PREFIX.pack(2, 1000) + b"{}",
    "the largest lengths": b"\xff" * wire.PREFIX.size,
    "a payload just beyond the cap": wire.PREFIX.pack(2, wire.MAX_PAYLOAD + 1),
    "a header just beyond the cap": wire.PREFIX.pack(wire.MAX_HEADER + 1, 0),
    "no JSON": frame(b"hello"),
    "two JSON values": frame(b"{}{}"),
    "no object": frame(b"[1]"),
    "deep arrays": frame(b"[" * 500_000),
    "deep objects": frame(b'{"a":' * 150_000),
    "deep and closed": frame(b'{"value":' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
    "a long number": frame(b'{"value":' + b"9" * 900_000 + b"}"),
    "a huge exponent": frame(b'{"value":1e999999}'),
    "no number": frame(b'{"value":NaN}'),
    "a key twice": frame(b'{"value":1,"value":2}'),
    "another encoding": frame('{"value":1}'.encode("utf-16")),
    "bytes that are no text": frame(b'{"value":"\xff\xfe"}'),
    "a lone surrogate": frame(b'{"value":"\\ud800"}'),
    "a NUL": frame(b'{"value":"a\\u0000b"}'),
    "terminal sequences": frame({"value": "\x1b]0;title\x07\x1b[2J\x9b1A"}),
    "an object for a value": frame({"value": {"a": 1}}),
    "an unknown tag": frame({"value": ["X", 1]}),
    "an object of the child": frame({"value": ["R", 1]}),
    "a tensor without bytes": frame({"value": tensor("float32", 2)}),
    "a tensor with too few bytes": frame({"value": tensor("float32", 2)}, b"1234"),
    "a tensor with too many bytes": frame({"value": tensor("float32", 1)}, b"12345678"),
    "a tensor of a trillion": frame({"value": tensor("float32", 10**12)}, b"1234"),
    "sizes that overflow": frame({"value": tensor("float32", *[2**31 - 1] * 12)}),
    "sizes that multiply to nothing": frame({"value": tensor("float32", 0, *[2**30] * 8)}),
    "a negative size": frame({"value": tensor("float32", -4)}, b"1234"),
    "a size that is true": frame({"value": ["T", "float32", [True]]}, b"1234"),
    "a size that is a fraction": frame({"value": ["T", "float32", [1.0]]}, b"1234"),
    "a size that is an array": frame({"value": ["T", "float32", [[1]]]}, b"1234"),
    "a type that is none": frame({"value": tensor("object", 1)}, b"12345678"),
    "a complex tensor": frame({"value": tensor("complex64", 1)}, b"12345678"),
    "too many dimensions": frame({"value": tensor("uint8", *[1] * 13)}, b"1"),
    "many empty tensors": frame({"value": ["l", *[tensor("uint8", 0)] * 40_000]}),
    "many elements": frame({"value": ["l", *[1] * 400_000]}),
    "a dictionary with half an entry": frame({"value": ["d", "a"]}),
    "a dictionary with a key twice": frame({"value": ["d", "a", 1, "a", 2]}),
    "a dictionary with an array for a key": frame({"value": ["d", ["l"], 1]}),
    "many forms at once": frame({"value": 1, "error": ERROR, "missing": True}),
    "an error without fields": frame({"error": {}, "late": False}),
    "an error with a number for a name": frame({"error": {**ERROR, "type": 1}, "late": False}),
    "an error in line -1": frame({"error": {**ERROR, "line": -1}, "late": False}),
    "an error in line 10^9": frame({"error": {**ERROR, "line": 10**9}, "late": False}),
    "an error with a long text": frame({"error": {**ERROR, "message": "x" * 900_000}, "late": False}),
    "a reason that is none": frame({"unsendable": ["nosuch", "x"]}),
    "a reason that is a dictionary": frame({"unsendable": {"a": 1}}),
    "steps that nobody asked for": frame({"value": 1, "steps": ["l"]}),
    "a kept object without a name": frame({"kept": None}),
}
FINE = ("a huge exponent", "no number", "a lone surrogate", "a NUL", "terminal sequences", "an error with a long text")


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_frame_is_a_value_or_a_violation_in_bounded_memory(name: str):
    tracemalloc.start()
    try:
        got = receive(HOSTILE[name])
    except (ProtocolViolation, Ended):
        assert name not in FINE
    else:
        assert name in FINE
        assert len(repr(got)) < 20_000
        assert "\x1b" not in repr(got)
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 80 << 20


def test_a_payload_that_never_comes_ends_at_the_deadline_with_no_more_than_the_cap_taken():
    ours, theirs = socket.socketpair()
    out, err = (os.pipe() for _ in range(2))
    channel = Channel(ours, os.fdopen(out[0], "rb", buffering=0), os.fdopen(err[0], "rb", buffering=0))
    with theirs:
        theirs.sendall(wire.PREFIX.pack(2, wire.MAX_PAYLOAD) + b"{}")
        with pytest.raises(Late):
            channel.receive(time.monotonic() + 0.2)
    channel.close()
    os.close(out[1])
    os.close(err[1])


HONEST = [
    frame({"id": 5, "value": wire.encode({"a": (1, [2.5, None, "x"])})[0]}),
    frame({"id": 5, "value": tensor("float32", 2, 3)}, torch.randn(2, 3).numpy().tobytes()),
    frame({"id": 5, "value": ["t", tensor("bool", 3), tensor("int64", 1)]}, bytes(11)),
    frame({"id": 5, "error": ERROR, "late": False}),
    frame({"id": 5, "unsendable": ["type", "Linear"]}),
    frame({"id": 5, "kept": "Net"}),
    frame({"id": 5, "value": None, "steps": ["l", ["t", "softmax", 0, 3, ["t", tensor("uint8", 2)]]]}, b"12"),
]


def test_the_honest_frames_are_read():
    for raw in HONEST:
        assert isinstance(receive(raw, traced=b"steps" in raw), Answer)


@given(
    st.sampled_from(HONEST), st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=6), st.booleans()
)
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_frame_with_changed_bytes_is_a_value_or_a_violation(raw: bytes, changes: list[tuple[int, int]], traced: bool):
    changed = bytearray(raw)
    for place, value in changes:
        changed[place % len(changed)] = value
    with contextlib.suppress(ProtocolViolation, Ended):
        assert isinstance(receive(bytes(changed), traced=traced), Answer)


@given(st.binary(max_size=300), st.booleans())
@settings(max_examples=200, deadline=None)
def test_any_stream_of_bytes_is_a_value_or_a_violation(raw: bytes, framed: bool):
    with contextlib.suppress(ProtocolViolation, Ended):
        receive(frame(raw) if framed else raw)


TREES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 10**20)
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["l", "T"]),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.tuples(st.sampled_from(["l", "t", "d", "T", "R"]), inner, inner).map(list)
        | st.tuples(st.just("T"), st.sampled_from(sorted(wire.DTYPES)), st.lists(st.integers(0, 5), max_size=4)).map(
            list
        )
    ),
    max_leaves=20,
)


@given(TREES, st.binary(max_size=64))
@settings(max_examples=400, deadline=None)
def test_any_tree_and_payload_is_a_value_or_a_violation(tree: object, payload: bytes):
    with contextlib.suppress(ProtocolViolation):
        answers.parse({"id": 1, "value": tree}, payload)
    with contextlib.suppress(ProtocolViolation):
        answers.parse({"id": 1, "value": tree, "steps": tree}, payload, traced=True)
    with contextlib.suppress(ProtocolViolation):
        read_gradients(wire.decode(tree, payload))
