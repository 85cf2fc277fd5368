"""What the zygote does before it forks works, and leaves no trace that a notebook could notice."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

LOOK = """
import json
from headcheck.jail import warmup
shell = warmup.warm_up(())
rehearsed = shell.run_cell(warmup._REHEARSAL, silent=True)
failed = shell.run_cell(warmup._FAILURE, silent=True)
print(json.dumps({
    "rehearsal": repr(rehearsed.error_before_exec or rehearsed.error_in_exec),
    "failure": repr(failed.error_before_exec or failed.error_in_exec),
}))
"""

TRACES = """
import json
import linecache
import sys
import torch
from headcheck.jail import warmup

def variables(shell):
    own = ("get_ipython", "exit", "quit", "open")
    return {name: repr(value) for name, value in shell.user_ns.items() if name not in own}

plain = warmup.build_shell()
new = variables(plain)
warmup.JailShell.clear_instance()
shell = warmup.warm_up(())
print(json.dumps({
    "variables": variables(shell) == new,
    "count": shell.execution_count,
    "inputs": shell.user_ns["In"],
    "outputs": shell.user_ns["Out"],
    "lines": [name for name in linecache.cache if name.startswith("<cell")],
    "threads": torch.get_num_threads(),
    "callbacks": shell.events.callbacks["post_run_cell"] == plain.events.callbacks["post_run_cell"],
    "last": hasattr(sys, "last_value"),
}))
"""

GATHER = """
import hashlib, os
from headcheck.jail import linux
data = [os.urandom(1 << 20) for _piece in range(40)]
before = [hashlib.sha256(piece).digest() for piece in data]
linux.gather_memory()
assert [hashlib.sha256(piece).digest() for piece in data] == before
if os.fork() == 0:
    os._exit([hashlib.sha256(piece).digest() for piece in data] != before)
print(os.waitstatus_to_exitcode(os.wait()[1]))
"""


def printed(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_rehearsal_runs_to_its_end_and_the_failure_fails():
    found = printed(LOOK)
    assert found["rehearsal"] == "None"
    assert found["failure"].startswith("TypeError")


def test_a_shell_that_was_warmed_up_is_as_a_new_one():
    assert printed(TRACES) == {
        "variables": True,
        "count": 1,
        "inputs": [""],
        "outputs": {},
        "lines": [],
        "threads": 1,
        "callbacks": True,
        "last": False,
    }


def test_memory_in_huge_pages_is_the_same_memory():
    assert printed(GATHER) == 0
