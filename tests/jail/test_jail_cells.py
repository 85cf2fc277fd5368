"""A cell behaves as in Jupyter, and its failures are told with the right place."""

import pytest
from headcheck.jail.client import Child, Jail


def test_state_is_kept_between_cells(child: Child):
    child.run_cell(0, "x = 20", 5)
    result = child.run_cell(1, "print(x)\nx + 1", 5)
    assert (result.ok, result.stdout, result.result, result.error) == (True, "20\n", "21", None)


def test_children_share_nothing(jail: Jail):
    with jail.spawn() as one, jail.spawn() as two:
        one.run_cell(0, "import builtins; x = builtins.y = 1; open('f', 'w').close()", 5)
        result = two.run_cell(0, "import os\n('x' in globals(), hasattr(__builtins__, 'y'), 'f' in os.listdir('.'))", 5)
        assert result.result == "(False, False, False)"


def test_an_error_names_the_line_in_the_cell_that_raised(child: Child):
    child.run_cell(0, "\n\ndef f(x):\n    return 1 / x", 5)
    result = child.run_cell(7, "y = 1\n\nf(0)", 5)
    assert not result.ok
    assert result.error is not None
    assert (result.error.type_name, result.error.cell, result.error.line) == ("ZeroDivisionError", 0, 4)
    assert result.error.traceback.splitlines() == [
        "Cell 7, line 3",
        "    f(0)",
        "Cell 0, line 4, in f",
        "    return 1 / x",
        "ZeroDivisionError: division by zero",
    ]


def test_blank_lines_before_the_code_do_not_move_the_line(child: Child):
    result = child.run_cell(3, "\n   \n\nraise ValueError('no')", 5)
    assert result.error is not None
    assert (result.error.cell, result.error.line, result.error.message) == (3, 4, "no")


@pytest.mark.parametrize(("source", "line"), [("x = 1\ndef g(:\n  pass", 2), ("\n\nx = (", 3), ("if 1:\nx", 2)])
def test_a_syntax_error_names_its_line(child: Child, source: str, line: int):
    result = child.run_cell(2, source, 5)
    assert result.error is not None
    assert result.error.type_name in ("SyntaxError", "IndentationError")
    assert (result.error.cell, result.error.line) == (2, line)


def test_tracebacks_show_no_file_of_the_machine(child: Child):
    result = child.run_cell(0, "import torch\ntorch.zeros(2) @ torch.zeros(3)", 5)
    assert result.error is not None
    assert result.error.line == 2
    assert "/" not in result.error.traceback
    assert "headcheck" not in result.error.traceback


@pytest.mark.parametrize(
    "source", ["raise SystemExit(3)", "import sys; sys.exit()", "raise KeyboardInterrupt", "raise GeneratorExit"]
)
def test_exits_are_errors_of_the_cell_and_the_child_lives_on(child: Child, source: str):
    assert not child.run_cell(0, source, 5).ok
    assert child.alive
    assert child.run_cell(1, "1", 5).ok


@pytest.mark.parametrize(
    "source",
    [
        "class E(Exception):\n    def __str__(self): raise SystemExit\nraise E",
        "class E(Exception):\n    def __str__(self): return 7\nraise E",
        "class M(type):\n    __name__ = property(lambda self: 1 / 0)\nclass E(Exception, metaclass=M): pass\nraise E",
        "class R:\n    def __repr__(self): raise SystemExit\nR()",
        "raise ValueError('x' * 10_000_000)",
        "raise SyntaxError('forged', ('<cell 9>', 'x', 1, 'y'))",
        "e = SyntaxError(); e.filename = e; e.lineno = e; raise e",
    ],
)
def test_hostile_exceptions_do_not_break_the_agent(child: Child, source: str):
    result = child.run_cell(0, source, 5)
    assert not result.ok
    assert result.error is not None
    assert len(result.error.message) <= 2000
    assert child.run_cell(1, "2", 5).result == "2"


def test_what_a_cell_defined_before_an_endless_loop_stays_defined(child: Child):
    result = child.run_cell(0, "y = 5\nwhile True: pass", 0.6)
    assert (result.ok, result.timed_out, result.died) == (False, True, None)
    assert result.error is not None
    assert result.error.line == 2
    assert child.run_cell(1, "y", 5).result == "5"


def test_an_awaited_sleep_is_interrupted_and_the_next_await_works(child: Child):
    assert child.run_cell(0, "import asyncio\nawait asyncio.sleep(60)", 0.5).timed_out
    assert child.run_cell(1, "await asyncio.sleep(0, 4)", 5).result == "4"


def test_a_cell_that_cannot_be_interrupted_is_killed_at_the_deadline(child: Child):
    source = "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\nprint('before')\nwhile True: pass"
    result = child.run_cell(0, source, 0.6)
    assert (result.ok, result.timed_out, result.died, result.stdout) == (False, True, "deadline", "before\n")
    assert not child.alive
    assert child.close().reason == "deadline"


def test_what_was_printed_before_a_sudden_end_is_kept(child: Child):
    result = child.run_cell(0, "import os\nprint('before')\nos._exit(0)", 5)
    assert (result.ok, result.died, result.stdout) == (False, "exited", "before\n")
    again = child.run_cell(1, "1", 5)
    assert (again.ok, again.died, again.stdout) == (False, "exited", "")
    assert child.close().reason == "exited"
    assert not child.run_cell(2, "1", 5).ok


def test_output_is_bounded_with_a_note_of_what_is_missing(child: Child):
    result = child.run_cell(0, "print('x' * 1_000_000)\nimport sys\nprint('e', file=sys.stderr)", 5)
    assert result.ok
    assert len(result.stdout) < (64 << 10) + 100
    assert "[... 934465 more bytes]" in result.stdout
    assert result.stderr == "e\n"
    assert child.run_cell(1, "print('next')", 5).stdout == "next\n"


def test_output_below_python_is_captured_and_cleaned(child: Child):
    result = child.run_cell(0, r"import os; os.write(1, b'a\x1b[31mb\x00\xff'); os.write(2, b'err'); None", 5)
    assert (result.stdout, result.stderr) == ("ab\ufffd", "err")


def test_a_flood_of_output_does_not_stop_the_answer(child: Child):
    result = child.run_cell(0, "import os\nfor _ in range(500): os.write(1, b'A' * 65536)\n7", 20)
    assert (result.ok, result.result) == (True, "7")
    assert len(result.stdout) < (64 << 10) + 100


@pytest.mark.parametrize(
    ("source", "result"),
    [
        ("import asyncio\nawait asyncio.sleep(0)\n7", "7"),
        ("x = 3\nx;", ""),
        ("import inspect\ndef f(x):\n    return x\ninspect.getsource(f)", r"'def f(x):\n    return x\n'"),
        ("import pickle\nclass A:\n    x = 4\npickle.loads(pickle.dumps(A())).x", "4"),
        ("import pickle\ndef g(): return 5\npickle.loads(pickle.dumps(g))()", "5"),
        ("from dataclasses import dataclass\n@dataclass\nclass D:\n    x: 'int' = 1\nD()", "D(x=1)"),
        ("import __main__\nz = 9\n__main__.z, __name__", "(9, '__main__')"),
        ("import getpass, pwd, os\n(getpass.getuser(), pwd.getpwuid(os.getuid()).pw_name)", "('student', 'student')"),
        ("import tempfile\nwith tempfile.TemporaryFile() as f: n = f.write(b'ab')\nn", "2"),
        ("import torch\ntorch.save({'a': 1}, 'x.pt')\ntorch.load('x.pt')", "{'a': 1}"),
        ("import threading\nt = threading.Thread(target=lambda: None); t.start(); t.join()\n1", "1"),
        ("x = !ls\nx", "[]"),
        ("exit()\n3", "3"),
        ("display(4)\n5", "5"),
        ("%timeit -n1 -r1 1\n6", "6"),
        ("_ = 8\nin_jupyter = get_ipython() is not None\nin_jupyter", "True"),
    ],
)
def test_honest_notebook_code_works(jail: Jail, source: str, result: str):
    if jail.isolation != "A" and ("tempfile" in source or "torch.save" in source or "pwd" in source):
        pytest.skip("without a private root nothing can be written and there is no passwd file")
    with jail.spawn() as child:
        got = child.run_cell(0, source, 10)
        assert got.error is None
        assert got.result == result


def test_programs_are_refused_politely(child: Child):
    for source in ("!ls", "%pip install x", "%%bash\nls", "import os\n!echo {os.name}"):
        result = child.run_cell(0, source, 5)
        assert result.ok
        assert "cannot run programs while grading" in result.stderr


@pytest.mark.parametrize("first", ["%matplotlib inline", "%matplotlib agg", ""])
def test_plots_do_not_fail(child: Child, first: str):
    source = f"{first}\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()"
    result = child.run_cell(0, source, 20)
    assert result.error is None


def test_a_name_of_ours_is_not_importable(child: Child):
    result = child.run_cell(0, "import headcheck", 5)
    assert result.error is not None
    assert result.error.type_name == "ModuleNotFoundError"


def test_a_cell_that_is_too_long_is_an_error_of_the_cell(child: Child):
    result = child.run_cell(0, "x = 1  # " + "y" * (2 << 20), 5)
    assert not result.ok
    assert result.error is not None
    assert child.run_cell(1, "1", 5).ok
