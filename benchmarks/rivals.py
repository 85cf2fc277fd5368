"""The same work for others: `bug_hunt` with the same checks in nbgrader's hidden cells, and as an otter autograder.

Used by `benchmarks/class.py`. The checks are those of `autograder/hidden/test_bug_hunt.py`, word for word, with the
references they compare with; only what they import of headcheck is replaced, by a few lines that run in the kernel.
"""

from __future__ import annotations

import ast
import inspect
import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from headcheck.course.config import Course
from headcheck.grading.draw import Draw

ASSIGNMENT = "bug_hunt"

STUBS = """\
import random, secrets, sys
from collections.abc import Sequence
import torch
sys.path.insert(0, {root!r})
_, TESTS = str, []


class NotDefined(Exception):
    pass


class StudentError(Exception):
    pass


class WrongAnswer(AssertionError):
    def __init__(self, message, state=None):
        super().__init__(message)


class Mismatch(WrongAnswer):
    pass


def task(name, points, kept_for=""):
    return lambda test: TESTS.append((name, points, test)) or test


def differences(got, expected):
    if not isinstance(got, torch.Tensor) or got.shape != expected.shape:
        return "shape"
    return None if torch.allclose(got.double(), expected.double(), atol=1e-5, rtol=1e-5) else "values"


def compare(function, reference, *args):
    got, expected = function(*args), reference(*args)
    if (found := differences(got, expected)) is not None:
        mismatch = Mismatch(found)
        mismatch.got, mismatch.expected = got, expected
        raise mismatch


def expect_raises(function, *args):
    try:
        function(*args)
    except StudentError as error:
        if error.type_name in ("ValueError", "AssertionError"):
            return
    raise WrongAnswer("accepted")


class Student:
    def __init__(self, names):
        self._names = names

    def value(self, name):
        if name not in self._names:
            raise NotDefined(name)
        return self._names[name]

    def __getattr__(self, name):
        def call(*args):
            try:
                return self._names[name](*args)
            except Exception as error:
                found = StudentError(str(error))
                found.type_name, found.message = type(error).__name__, str(error)
                raise found from error
        return call


{draw}

{tests}


def passed(test, names):
    try:
        test(Student(names), Draw())
    except Exception:
        return False
    return True


def points_of(wanted, names):
    return sum(points for name, points, test in TESTS if name == wanted and passed(test, names))
"""

OTTER_TEST = """\
from otter.test_files import test_case
OK_FORMAT = False
name = "{task}"
points = 1


@test_case()
def test_all(env):
    from checks import TESTS, passed
    for name, _points, test in TESTS:
        if name == "{task}":
            assert passed(test, env)
"""


def checks(course: Course) -> str:
    """Write the module with the checks."""
    tree = ast.parse(course.hidden_file(ASSIGNMENT).read_text())
    ours = [n for n in tree.body if isinstance(n, ast.ImportFrom) and (n.module or "").split(".")[0] == "headcheck"]
    tree.body = [node for node in tree.body if node not in ours and getattr(node, "module", "") != "__future__"]
    return STUBS.format(root=str(course.root), draw=inspect.getsource(Draw), tests=ast.unparse(tree))


def stock_class(course: Course, folder: Path, submitted: Path) -> None:
    """Lay out a class for stock nbgrader: source notebook, released once, and the same submissions."""
    source = json.loads(course.source_file(ASSIGNMENT).read_text())
    for cell in source["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade") and cell["cell_type"] == "code":
            task = cell["id"].removesuffix("_tests")
            visible = "".join(cell["source"]).split("### BEGIN HIDDEN TESTS")[0]
            hidden = f'from checks import points_of\npoints_of("{task}", globals())\n'
            cell["source"] = f"{visible}### BEGIN HIDDEN TESTS\n{hidden}### END HIDDEN TESTS"
    home = folder / "source" / ASSIGNMENT
    home.mkdir(parents=True)
    (home / f"{ASSIGNMENT}.ipynb").write_text(json.dumps(source))
    (home / "checks.py").write_text(checks(course))
    (folder / "nbgrader_config.py").write_text("c = get_config()\n")
    shutil.copytree(submitted, folder / "submitted")
    nbgrader(folder, "generate_assignment")


def nbgrader(folder: Path, verb: str) -> None:
    """Run one of nbgrader's commands."""
    script = "from nbgrader.apps.nbgraderapp import main; main()"
    command = [sys.executable, "-c", script, verb, ASSIGNMENT, "--force"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"nbgrader {verb} failed:\n{done.stderr[-2000:]}")


def otter_zip(course: Course, path: Path) -> Path:
    """Write otter's autograder with one test case for each hidden test."""
    names = sorted({cell["id"] for cell in json.loads(course.source_file(ASSIGNMENT).read_text())["cells"]})
    tasks = [name.removesuffix("_tests") for name in names if name.endswith("_tests")]
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("otter_config.json", json.dumps({"lang": "python"}))
        archive.writestr("files/checks.py", checks(course))
        for task in tasks:
            archive.writestr(f"tests/{task}.py", OTTER_TEST.format(task=task))
    return path
