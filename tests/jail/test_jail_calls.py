"""Calls bring back values that were checked, or say in which way they failed."""

import contextlib
import math
import time

import pytest
import torch
from headcheck.jail.client import Child, Jail
from headcheck.jail.errors import (
    CallTimeout,
    ChildDied,
    NotDefined,
    ProtocolViolation,
    StudentError,
    Unsendable,
)

# A call that answers in the agent's place, on its socket (number 3), with a header and payload of the student's choice.
FORGER = """
import json, os, signal, struct, sys, time
def request_id():
    frame = sys._getframe()
    while frame is not None:
        header = frame.f_locals.get("header")
        if isinstance(header, dict) and "id" in header:
            return header["id"]
        frame = frame.f_back
def forge(body, payload=b"", number=None):
    number = request_id() if number is None else number
    header = body if isinstance(body, bytes) else json.dumps({"id": number, **body}).encode()
    os.write(3, struct.pack("<IQ", len(header), len(payload)) + header + payload)
    time.sleep(5)
"""


def forged(child: Child, call: str, deadline_s: float = 3) -> object:
    assert child.run_cell(0, f"{FORGER}\ndef f(): {call}", 5).ok
    return child.call("f", (), {}, deadline_s)


def test_a_call_returns_what_the_function_returned(child: Child):
    child.run_cell(
        0, "import torch\ndef f(x, h, *, flip=False):\n    return {'x': x * h, 'parts': (x.shape, [flip, None])}", 5
    )
    x = torch.randn(2, 3)
    got = child.call("f", (x, 2), {"flip": True}, 5)
    assert torch.equal(got["x"], x * 2)
    assert got["parts"] == ((2, 3), [True, None])


def test_a_call_gets_tensors_in_dictionaries_and_may_change_its_copy_only(child: Child):
    child.run_cell(0, "def f(state):\n    state['w'].zero_()\n    return state", 5)
    state = {"w": torch.ones(2, dtype=torch.bfloat16), "m": torch.tensor([True, False])}
    got = child.call("f", (state,), {}, 5)
    assert got["w"].tolist() == [0, 0]
    assert got["m"].tolist() == [True, False]
    assert state["w"].tolist() == [1, 1]


def test_large_tensors_go_both_ways(child: Child):
    child.run_cell(0, "def f(x): return x + 1", 5)
    x = torch.randn(2_000_000)
    assert torch.equal(child.call("f", (x,), {}, 20), x + 1)


def test_a_variable_is_returned_by_name(child: Child):
    child.run_cell(0, "q02 = ['b', 3]\nnothing = None\ninfinite = float('inf')", 5)
    assert child.get("q02", 5) == ["b", 3]
    assert child.get("nothing", 5) is None
    assert child.get("infinite", 5) == math.inf


def test_only_what_the_notebook_defined_has_a_name(child: Child):
    child.run_cell(0, "x = 1", 5)
    for name in ("nosuch", "print", "__builtins__.print"):
        with pytest.raises(NotDefined):
            child.get(name, 5)
    with pytest.raises(NotDefined):
        child.call("x", (), {}, 5)


def test_an_exception_in_a_call_is_told_with_its_place(child: Child):
    child.run_cell(4, "def f():\n    x = 1\n    raise ValueError('bad \\x1b[31m thing')", 5)
    with pytest.raises(StudentError) as caught:
        child.call("f", (), {}, 5)
    error = caught.value
    assert (error.type_name, error.message, error.cell, error.line) == ("ValueError", "bad  thing", 4, 3)


def test_wrong_arguments_are_an_error_without_a_place(child: Child):
    child.run_cell(0, "def f(): pass", 5)
    with pytest.raises(StudentError, match="TypeError: f\\(\\) takes 0 positional") as caught:
        child.call("f", (1,), {}, 5)
    assert caught.value.line is None


@pytest.mark.parametrize(
    "body", ["raise SystemExit", "raise KeyboardInterrupt", "return f()", "exit()", "assert False"]
)
def test_a_call_that_raises_anything_leaves_the_child_alive(child: Child, body: str):
    child.run_cell(0, f"import sys\ndef f(): {body}\ndef ok(): return 1", 5)
    with contextlib.suppress(StudentError):
        child.call("f", (), {}, 5)
    assert child.call("ok", (), {}, 5) == 1


@pytest.mark.parametrize(
    "value",
    ["{1}", "object()", "torch.nn.Linear(1, 1)", "torch.zeros(2, device='meta')", "f", "torch.zeros(1).expand(10**9)"],
)
def test_values_that_cannot_cross_are_named(child: Child, value: str):
    child.run_cell(0, f"import torch\ndef f(): return {value}", 5)
    with pytest.raises(Unsendable, match=r"handed over"):
        child.call("f", (), {}, 5)
    assert child.alive


def test_an_argument_that_cannot_cross_is_refused_before_it_is_sent(child: Child):
    with pytest.raises(Unsendable):
        child.call("f", (object(),), {}, 5)
    assert child.alive


def test_a_slow_call_is_interrupted_and_the_child_lives_on(child: Child):
    child.run_cell(0, "def f():\n    while True: pass\ndef ok(): return 1", 5)
    with pytest.raises(CallTimeout):
        child.call("f", (), {}, 0.5)
    assert child.alive
    assert child.call("ok", (), {}, 5) == 1


def test_a_call_that_cannot_be_interrupted_is_killed_at_the_deadline(child: Child):
    child.run_cell(
        0, "import signal, time\ndef f():\n    signal.signal(signal.SIGALRM, signal.SIG_IGN)\n    time.sleep(60)", 5
    )
    start = time.monotonic()
    with pytest.raises(CallTimeout):
        child.call("f", (), {}, 0.5)
    assert 0.5 <= time.monotonic() - start < 5
    assert not child.alive
    with pytest.raises(ChildDied, match="deadline"):
        child.call("f", (), {}, 0.5)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("import os; os._exit(0)", "exited"),
        ("import ctypes; ctypes.string_at(0)", "killed by signal 11"),
        ("import os; os.abort()", "killed by signal"),  # which one depends on the namespace
    ],
)
def test_a_sudden_end_is_never_an_answer(child: Child, body: str, reason: str):
    child.run_cell(0, f"def f(): {body}", 5)
    with pytest.raises(ChildDied) as caught:
        child.call("f", (), {}, 5)
    assert caught.value.reason.startswith(reason)
    assert child.close().reason == caught.value.reason


@pytest.mark.parametrize(
    "call",
    [
        "forge({'value': 1}, number=7)",
        "forge({'value': 1}, number=True)",
        "forge({'value': 1, 'more': 2})",
        "forge({})",
        "forge({'value': {'a': 1}})",
        "forge({'value': ['T', 'float32', [10**12]]})",
        "forge({'value': ['T', 'float32', [2]]}, b'1234')",
        "forge({'value': 1}, b'1234')",
        "forge({'value': ['x']})",
        "forge({'error': 1, 'late': False})",
        "forge({'error': {'type': 1, 'message': '', 'cell': None, 'line': None, 'traceback': ''}, 'late': False})",
        "forge({'unsendable': ['nosuch', '']})",
        "forge(b'[' * 200000)",
        "forge(b'null')",
        "os.write(3, struct.pack('<IQ', 4, 1 << 62) + b'null'); time.sleep(5)",
        "os.write(3, b'\\xff' * 100); time.sleep(5)",
    ],
)
def test_forged_answers_are_violations_and_end_the_child(child: Child, call: str):
    with pytest.raises(ProtocolViolation):
        forged(child, call)
    assert not child.alive
    assert child.close().reason == "protocol violation"


def test_a_forged_answer_in_the_right_form_is_only_the_students_own_answer(child: Child):
    assert forged(child, "forge({'value': ['l', 1, 2]})") == [1, 2]


def test_an_answer_in_slow_drips_meets_the_one_deadline(child: Child):
    start = time.monotonic()
    with pytest.raises(CallTimeout):
        forged(child, "signal.setitimer(0, 0); [(os.write(3, b'\\0'), time.sleep(0.1)) for _ in range(100)]", 0.6)
    assert time.monotonic() - start < 3


def test_answers_prepared_in_a_cell_do_not_answer_later_calls(child: Child):
    child.run_cell(0, f"{FORGER}\ndef f(): return 0", 5)
    result = child.run_cell(1, "time.sleep = lambda s: None\nfor n in range(5): forge({'value': 1}, number=n)", 5)
    assert not result.ok
    assert result.died == "protocol violation"


def test_output_of_a_call_is_not_kept_for_the_next_cell(child: Child):
    child.run_cell(0, "def f(): print('from the call')", 5)
    child.call("f", (), {}, 5)
    assert child.run_cell(1, "print('from the cell')", 5).stdout == "from the cell\n"


def test_a_patched_comparison_changes_nothing_here(jail: Jail):
    with jail.spawn() as child:
        child.run_cell(
            0, "import torch\ntorch.equal = torch.allclose = lambda *a, **k: True\ndef f(): return torch.zeros(2)", 5
        )
        assert not torch.equal(child.call("f", (), {}, 5), torch.ones(2))
