"""The store of verdicts: what is kept comes back, and what is damaged counts as missing."""

import json

import pytest
from headcheck.grading.store import Kept, VerdictStore
from headcheck.grading.verdict import CellOutput, Divergence, TaskVerdict, Verdict, verdict_of
from hypothesis import given
from hypothesis import strategies as st

TEXT = st.text(max_size=20)
POINTS = st.floats(0, 100)
TASKS = st.builds(
    TaskVerdict,
    task=TEXT,
    score=POINTS,
    max_score=POINTS,
    state=st.sampled_from(["correct", "error"]),
    message=TEXT,
    mistakes=st.tuples(TEXT),
    divergence=st.none() | st.builds(Divergence, TEXT, st.none() | st.integers(0, 9), st.none() | st.integers(0, 9)),
    details=st.tuples(TEXT),
    named=st.booleans(),
)
VERDICTS = st.builds(
    Verdict,
    notebook=TEXT,
    assignment=TEXT,
    score=POINTS,
    max_score=POINTS,
    isolation=st.sampled_from(["A", "B", "none"]),
    tasks=st.tuples(TASKS, TASKS),
    notes=st.tuples(TEXT),
    outputs=st.dictionaries(st.integers(0, 50), st.builds(CellOutput, *[TEXT] * 6), max_size=3),
    unreadable=TEXT,
    memory_mb=st.none() | POINTS,
)
VERDICT = Verdict("n", "a", 1, 2, "A", (TaskVerdict("t", 1, 2, "partial", "m"),))


@pytest.fixture
def warnings():
    return []


@pytest.fixture
def store(tmp_path, warnings):
    return VerdictStore(tmp_path, "work", warnings.append)


@given(VERDICTS)
def test_a_verdict_survives_the_way_through_json(verdict):
    assert verdict_of(json.loads(json.dumps(verdict.to_record()))) == verdict


@given(st.recursive(st.none() | st.integers() | TEXT, lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner)))
def test_what_is_no_verdict_is_refused(thing):
    with pytest.raises(ValueError, match="no verdict"):
        verdict_of(thing)


@pytest.mark.parametrize("student", ["ann", "a b", "çağrı", "x" * 255, ".hidden"])
def test_what_is_kept_comes_back(store, student, warnings):
    store.put(student, Kept("key", {"torch": "2"}, VERDICT))
    assert store.get(student) == Kept("key", {"torch": "2"}, VERDICT)
    assert (store.get("nobody"), warnings) == (None, [])


@pytest.mark.parametrize(
    "damage",
    [b"", b"{", b"\xff\xfe", b"[]", b"null", b'{"key": 1}', b"[" * 100_000, b'{"key":"k","versions":{},"verdict":{}}'],
)
def test_a_damaged_file_counts_as_missing_and_is_told_in_one_line(store, tmp_path, warnings, damage):
    store.put("ann", Kept("key", {}, VERDICT))
    (path,) = (path for path in (tmp_path / ".headcheck").rglob("*") if path.is_file())
    path.write_bytes(damage)
    assert store.get("ann") is None
    assert len(warnings) == 1
    assert str(path) in warnings[0]


def test_a_cut_file_counts_as_missing_wherever_it_was_cut(store, tmp_path, warnings):
    store.put("ann", Kept("key", {}, VERDICT))
    (path,) = (path for path in (tmp_path / ".headcheck").rglob("*") if path.is_file())
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert store.get("ann") is None
