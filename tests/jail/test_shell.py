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
