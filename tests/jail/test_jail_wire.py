"""Values survive the wire; hostile bytes give a value or a ProtocolViolation and nothing else."""

import contextlib
import json
import math
from collections import OrderedDict, namedtuple

import numpy
import pytest
import torch
from headcheck.jail import answers, wire
from headcheck.jail.errors import ProtocolViolation, Unsendable
from hypothesis import given, settings
from hypothesis import strategies as st

TEXT = st.text(st.characters(exclude_categories=["Cc", "Cs", "Cf"]), max_size=20)
TENSORS = st.builds(
    lambda name, shape, seed: (
        torch.rand(shape, generator=torch.Generator().manual_seed(seed)).mul(9).to(wire.DTYPES[name])
    ),
    st.sampled_from(sorted(wire.DTYPES)),
    st.lists(st.integers(0, 3), max_size=4),
    st.integers(0, 99),
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | TEXT | TENSORS
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(TEXT | st.integers(), inner, max_size=4)
    ),
    max_leaves=12,
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["l", "t", "d", "T", "float32"]),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=20,
)


def over_the_wire(value):
    tree, buffers = wire.encode(value)
    pieces = b"".join(wire.frame({"value": tree}, buffers))
    header_length, payload_length = wire.lengths(pieces[: wire.PREFIX.size])
    header, payload = pieces[wire.PREFIX.size :][:header_length], pieces[wire.PREFIX.size + header_length :]
    assert len(payload) == payload_length
    return wire.decode(wire.parse_header(header)["value"], payload)


def same(a, b) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, torch.Tensor):
        return (
            a.dtype == b.dtype and a.shape == b.shape and a.numpy(force=True).tobytes() == b.numpy(force=True).tobytes()
            if a.dtype != torch.bfloat16
            else torch.equal(a, b)
        )
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b or (isinstance(a, float) and math.isnan(a) and math.isnan(b))


@given(VALUES)
@settings(max_examples=150, deadline=None)
def test_every_value_comes_back_the_same(value):
    assert same(over_the_wire(value), value)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, -0.0, 1e308])
def test_special_floats_survive(value):
    assert math.copysign(1, over_the_wire(value)) == math.copysign(1, value)
    assert same(over_the_wire(value), value)


def test_a_list_that_looks_like_a_tag_is_still_a_list():
    forged = [["T", "float32", [1000]], {"__t": ["float32", [1], 0]}, ["d", "a"], ["l"], []]
    assert over_the_wire(forged) == forged


def test_tuples_of_every_kind_become_tuples_and_lists_stay_lists():
    point = namedtuple("Point", "x y")
    assert over_the_wire([point(1, 2), torch.Size([3, 4]), torch.sort(torch.tensor([2, 1])).values.shape, [5]]) == [
        (1, 2),
        (3, 4),
        (2,),
        [5],
    ]


def test_numpy_scalars_and_arrays_become_plain_values():
    got = over_the_wire(
        {numpy.int64(3): numpy.float32(0.5), "b": numpy.bool_(True), "a": numpy.arange(6).reshape(2, 3)[:, ::-1]}
    )
    assert got[3] == 0.5
    assert got["b"] is True
    assert torch.equal(got["a"], torch.tensor([[2, 1, 0], [5, 4, 3]]))


def test_tensors_of_any_memory_order_arrive_dense_and_without_history():
    x = torch.randn(4, 5, requires_grad=True)
    for view in (x.t(), x[:, ::2], x[1:], torch.nn.Parameter(x), x.expand(3, 4, 5), x[0, 0]):
        got = over_the_wire(view)
        assert type(got) is torch.Tensor
        assert not got.requires_grad
        assert got.is_contiguous()
        assert torch.equal(got, view)


def test_a_tensor_subclass_arrives_as_a_plain_tensor_with_its_own_numbers():
    class Liar(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return torch.ones(3)

    got = over_the_wire(torch.zeros(3).as_subclass(Liar))
    assert type(got) is torch.Tensor
    assert got.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ({1, 2}, "type"),
        (b"bytes", "type"),
        (1j, "type"),
        (torch.nn.Linear(1, 1), "type"),
        (lambda: 0, "type"),
        ({(1, 2): 3}, "key"),
        ({True: 3}, "key"),
        ({"a\x00": 3}, "text"),
        (torch.zeros(2, dtype=torch.complex64), "dtype"),
        (numpy.zeros(2, dtype="complex64"), "dtype"),
        (numpy.array([{}]), "dtype"),
        (torch.zeros(2).to_sparse(), "layout"),
        (torch.zeros(2, device="meta"), "device"),
        (torch.zeros(1).expand(10**9), "size"),
        (torch.zeros(1).expand(10**10), "shape"),
        (torch.zeros([1] * 13), "shape"),
        (1 << 5000, "number"),
        ([0] * 200_000, "size"),
    ],
)
def test_what_cannot_cross_is_refused_with_a_reason(value, code):
    with pytest.raises(Unsendable) as refused:
        wire.encode(value)
    assert refused.value.code == code
    assert refused.value.detail in str(refused.value)


def test_a_value_that_contains_itself_is_refused():
    loop: list = []
    loop.append(loop)
    with pytest.raises(Unsendable, match="levels deep"):
        wire.encode(loop)


@given(JSON, st.binary(max_size=40))
@settings(max_examples=300, deadline=None)
def test_any_tree_gives_a_value_or_a_violation(tree, payload):
    with contextlib.suppress(ProtocolViolation):
        wire.decode(tree, payload)


@given(st.binary(max_size=200) | st.text(max_size=60).map(str.encode))
@settings(max_examples=300, deadline=None)
def test_any_bytes_give_a_header_or_a_violation(raw):
    with contextlib.suppress(ProtocolViolation):
        assert isinstance(wire.parse_header(raw), dict)


@given(st.dictionaries(st.sampled_from(["id", "value", "missing", "unsendable", "error", "late"]), JSON))
@settings(max_examples=300, deadline=None)
def test_any_answer_is_an_answer_or_a_violation(header):
    with contextlib.suppress(ProtocolViolation):
        assert isinstance(answers.parse(header, b""), answers.Answer)


@pytest.mark.parametrize(
    "tree",
    [
        ["T", "float32", [10**12]],
        ["T", "float32", [2, 3, 5, 8]],
        ["T", "object", [1]],
        ["T", "float32", [-1]],
        ["T", "float32", [2**31] * 3],
        ["T", "float32", [0, 2**30, 2**30, 2**30]],
        ["T", "float32", [True]],
        ["T", "float32", [1.0]],
        ["T", "float32", [1] * 13],
        ["T", "float32", "x"],
        ["T", "float32"],
        ["T", ["float32"], [1]],
        ["T"],
        [],
        [["l"]],
        ["x", 1],
        {"a": 1},
        ["d", "a"],
        ["d", "a", 1, "a", 2],
        ["d", True, 1],
        ["d", None, 1],
        ["d", "a\x1b", 1],
        1 << 5000,
        None,
    ],
)
def test_forged_values_are_violations(tree):
    with pytest.raises(ProtocolViolation):
        wire.decode(tree, b"\0\0\0\0\0")


def test_tensors_cannot_share_bytes_of_the_payload():
    with pytest.raises(ProtocolViolation):
        wire.decode(["l", ["T", "uint8", [4]], ["T", "uint8", [4]]], b"1234")


def test_a_bool_tensor_is_rebuilt_from_what_is_not_zero():
    got = wire.decode(["T", "bool", [4]], b"\x00\x01\x02\xff")
    assert got.tolist() == [False, True, True, True]
    assert (got ^ got).tolist() == [False] * 4


@pytest.mark.parametrize(
    "raw",
    [
        b"[" * 200_000,
        b"9" * 5000,
        b'{"a":' * 100_000,
        b'{"a":1,"a":2}',
        b"[]",
        b"\xff\xfe",
        b"",
        b'{"a":' + b"1" * 5000 + b"}",
    ],
)
def test_malformed_headers_are_violations(raw):
    with pytest.raises(ProtocolViolation):
        wire.parse_header(raw)


@pytest.mark.parametrize("prefix", [(wire.MAX_HEADER + 1, 0), (10, wire.MAX_PAYLOAD + 1), (10, 1 << 63)])
def test_lengths_beyond_the_caps_are_refused_before_anything_is_read(prefix):
    with pytest.raises(ProtocolViolation):
        wire.lengths(wire.PREFIX.pack(*prefix))


def test_a_deep_or_wide_tree_is_a_violation():
    deep = 1
    for _ in range(wire.MAX_DEPTH + 2):
        deep = ["l", deep]
    for tree in (deep, ["l", *[0] * wire.MAX_NODES], ["l", *[["T", "uint8", [0]]] * (wire.MAX_TENSORS + 1)]):
        with pytest.raises(ProtocolViolation):
            wire.decode(tree, b"")


def test_control_characters_are_removed_from_every_text():
    raw = "a\x1b[31mred\x1b[0m\x07\x9b\u202e\ud800\r\nb\tc"
    assert wire.decode(["l", raw], b"") == ["ared\nb\tc"]
    assert wire.clean("x" * 100, 10) == "x" * 10


def test_an_ordered_dict_keeps_its_order():
    assert list(over_the_wire(OrderedDict([("b", 1), ("a", 2)]))) == ["b", "a"]


def test_the_header_is_plain_json():
    tree, _ = wire.encode({"x": (1, [torch.zeros(2)])})
    assert json.loads(json.dumps(tree)) == ["d", "x", ["t", 1, ["l", ["T", "float32", [2]]]]]
