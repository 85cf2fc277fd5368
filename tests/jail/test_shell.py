"""The shell understands what Jupyter understands, though it does not look through plain Python for magics."""

import json
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[2]

COMPARE = """
import json, sys, warnings
from IPython.core.interactiveshell import InteractiveShell
from headcheck.jail.shell import build_shell

def outcome(transform, cell):
    try:
        return transform(cell)
    except Exception as error:
        return repr(error)

warnings.simplefilter("ignore")
shell = build_shell()
for cell in json.load(sys.stdin):
    ours, theirs = outcome(shell.transform_cell, cell), outcome(super(type(shell), shell).transform_cell, cell)
    if ours != theirs:
        print(repr((cell, ours, theirs)))
"""

CELLS = [
    *("", " ", "\t", "\n\nx = 1", "  x = 1\n  y = 2", "x = 1\r\ny = 2", "x\x0cy", "\ufeffx = 1\ny = 1", "x = 1;\ny;"),
    *("exit", "quit", "exit()", "x?", "?x", "x = 3 # ?", "(x)?", '"a" ?', "x = 1\nx?", "f(\n?x)", "x = 'a?'\ny = 2"),
    *("!ls", "x = !ls", "x = 1\n!ls", "'''\n!ls\n'''", "if x:\n    !ls\n", "%who", "x = %who", "x = 1\n%timeit x"),
    *("%%time\nx = 1", "x = (10\n%3)", "a\\\n%b", "x = 5 \\\n% 3", '"""\n%x\n"""', "# %x\ny = 1", "x = 5 \\"),
    *("In [1]: x = 3", "In [1]: x = 3\nIn [2]: y = 3", "In[1]: x\ny = 1", "In [1]: int\ny = 1", ">>> x = 1\n>>> y = 1"),
    *("...: 1\nx", "   ...: x = 1\ny", ",f a b\nx", ";f a\nx", "/f 1\nx", "f a\nx", "await x\ny", "return 3\nx"),
    *(
        "def f():\n\treturn 1\n",
        "@a\ndef f(): pass",
        "match x:\n  case 1: pass",
        "x = '\\d'\ny",
        "x is 1\ny",
        "0777\nx",
    ),
    *(
        "lambda: (yield)\nx",
        "print 'a'\nx",
        "x = 1 if\ny",
        "\0\nx",
        "(" * 500 + "\nx",
        "a = b = 1\nç = 'ğ'\n",
        "x\\\n\ny",
    ),
]


def differences(cells):
    done = subprocess.run(
        [sys.executable, "-c", COMPARE], input=json.dumps(cells), capture_output=True, text=True, check=True, cwd=ROOT
    )
    return done.stdout.splitlines()


def test_a_cell_becomes_the_same_python_as_in_jupyter():
    assert differences(CELLS) == []


def test_an_odd_escape_is_not_warned_of_before_the_cell_runs():
    look = "from headcheck.jail.shell import build_shell; build_shell().transform_cell('x = \\'\\\\d\\'\\ny = 2')"
    done = subprocess.run([sys.executable, "-W", "always", "-c", look], capture_output=True, text=True, check=True)
    assert "escape" not in done.stderr


@pytest.mark.parametrize("folder", ["source", "examples/class/submitted"])
def test_the_cells_of_the_course_and_of_students_become_the_same_python_as_in_jupyter(folder):
    cells = []
    for path in sorted((ROOT / folder).rglob("*.ipynb")):
        try:
            notebook = nbformat.reads(path.read_text(), 4)
            cells += [str(cell.source) for cell in notebook.cells if cell.cell_type == "code"]
        except Exception:  # some examples are broken on purpose
            continue
    assert len(cells) > 50
    assert differences(cells) == []


RUN = """
import contextlib, io, json, sys, traceback, warnings
from IPython.core.compilerop import CachingCompiler
from IPython.core.interactiveshell import InteractiveShell
from headcheck.jail import shell as module

if sys.argv[1] == "ipython":
    for name in ("transform_cell", "should_run_async", "run_ast_nodes"):
        setattr(module.JailShell, name, getattr(InteractiveShell, name))
    module.CellCompiler.ast_parse = CachingCompiler.ast_parse
warnings.simplefilter("ignore")
shell = module.build_shell()
for number, cell in enumerate(json.load(sys.stdin)):
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        error, text = shell.run(number, cell)
    lines = [line for _name, line in traceback.walk_tb(error.__traceback__)] if error else []
    print(json.dumps([
        cell, type(error).__name__, str(error), lines[-1:], text, printed.getvalue(), shell.user_ns["In"][-1],
        {key: repr(value) for key, value in shell.user_ns.items() if key in ("a", "b", "c", "_", "__annotations__")},
    ]))
"""

ODD_CELLS = [
    "",
    "# nothing",
    "a = 1\na",
    "a = 1\na;",
    "a\n_",
    "a = 2\nreturn a",
    "a = 3\nbreak",
    "a = 4\n1/0\na = 5",
    "a = 6\nb",
    "a = 7\nawait b",
    "async def f():\n    return 8\na = await f()\na",
    "import asyncio\nawait asyncio.sleep(0, 9)",
    "async def g():\n    yield 1\nasync for b in g():\n    a = b\nb",
    "async def f():\n    pass\n1/0",
    "a = 10\nfrom __future__ import annotations",
    "def f(x: nope): pass\nf.__annotations__",
    "a = 11\nyield a",
    "from __future__ import annotations\nc: nope = 1\nc",
    "a = 12\nx = [y async for y in g()]\nx",
    "a = 13\n%pinfo2 a",
    "a = 13\n%config IPCompleter",
    "a = 14\nnonlocal a",
    "if True:\n    a = 15\n    a",
    "'''a'''\n'''b'''",
    "a = 16\nraise SystemExit(1)",
    "await = 1\na",
    "a = 17\n'await' in 'await'",
    "class C:\n    return 1",
    "a = 18\nimport nothing_of_this_name",
    "del a\na",
    "a = 19\nexit()",
]


def run(cells, how):
    done = subprocess.run(
        [sys.executable, "-c", RUN, how], input=json.dumps(cells), capture_output=True, text=True, check=True, cwd=ROOT
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_odd_cells_end_as_in_jupyter():
    ours, theirs = run(ODD_CELLS, "ours"), run(ODD_CELLS, "ipython")
    assert len(ours) == len(ODD_CELLS)
    assert [pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]] == []


def test_the_cells_of_a_solved_assignment_end_as_in_jupyter():
    notebook = nbformat.read(ROOT / "source/bug_hunt/bug_hunt.ipynb", 4)
    cells = [str(cell.source) for cell in notebook.cells if cell.cell_type == "code"]
    ours = run(cells, "ours")
    assert len(ours) > 10
    assert ours == run(cells, "ipython")
