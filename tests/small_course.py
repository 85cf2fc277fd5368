"""Small courses made on the spot, and pieces of assignments that were never built."""

import contextlib
import itertools
import json
import sys
from dataclasses import dataclass
from pathlib import Path

from headcheck.authoring import build_all
from headcheck.course.assignment import Assignment, SourceCell, load_assignment
from headcheck.course.config import Course, load_course
from headcheck.course.notebook import RawCell

OWN_PACKAGES = ("solutions", "assignments")

TEXT = '''\
# %% [markdown]
# # A tiny course

# %% locked setup
import torch

# %% solution double
### BEGIN SOLUTION
def double(x):
    """Twice x."""
    modelanswer = 2 * x
    return modelanswer


### STUB
# def double(x):
#     """Twice x."""
#     return None
### END SOLUTION

# %% tests double points=3
assert double(torch.ones(2)).shape == (2,), "double: the shape stays"

# %% solution total
### BEGIN SOLUTION
def total(x):
    return float(x.sum())
### STUB
# def total(x):
#     return 0.0
### END SOLUTION

# %% tests total points=2
assert isinstance(total(torch.ones(2)), float), "total: a number"

# %% manual why [markdown] points=1
# Say why.
'''

HIDDEN = """\
from headcheck.grading.checks import compare, task


@task("double", points=1)
def test_a_vector_is_doubled(student, draw):
    compare(student.double, lambda x: 2 * x, draw.tensor(5))


@task("double", points=2)
def test_a_matrix_is_doubled(student, draw):
    compare(student.double, lambda x: 2 * x, draw.tensor(3, 4))


@task("total", points=2)
def test_all_numbers_are_added(student, draw):
    compare(student.total, lambda x: float(x.sum()), draw.tensor(7))
"""

BANK = """\
from headcheck.diagnosis.bank import Mistake

SQUARED = Mistake(
    "squared", "`x * x` in place of `2 * x`", "Squaring is not doubling.", "What is 3 * 3?",
    wrong={"double": lambda x: x * x},
)
BANK = {"squared": SQUARED}
"""

LIMITS = "cell_seconds = 2\ncall_seconds = 1\nsubmission_seconds = 30\nmemory_mb = 512\n[feedback]\nhints = 'full'"

GOOD = {"double": "def double(x):\n    return x + x\n", "total": "def total(x):\n    return float(x.sum())\n"}
"""Right answers to the tiny course, in other words than the model answer's."""

_numbers = itertools.count()


@dataclass
class Tiny:
    """A course in a temporary folder with one assignment."""

    root: Path
    name: str

    @property
    def course(self) -> Course:
        return load_course(self.root)

    @property
    def assignment(self) -> Assignment:
        return load_assignment(self.course, self.name)

    def build(self, write: bool = True) -> list[Path]:
        return build_all(self.root, [], write=write)

    def notebook(self, path: Path, **answers: str) -> Path:
        """Write the released notebook with other sources in some cells, as a student would hand it in."""
        content = json.loads(self.course.release_file(self.name).read_text())
        for cell in content["cells"]:
            cell["source"] = answers.get(cell["id"], cell["source"])
        return write_json(path, content)


def write_json(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))
    return path


def lay_out(root: Path, text: str = TEXT, hidden: str | None = HIDDEN, limits: str = "", bank: str = "") -> Tiny:
    """Write a course; its name is new each time, because Python keeps modules of hidden tests by their name."""
    tiny = Tiny(root, f"tiny_{next(_numbers)}")
    files = {
        "headcheck.toml": f'[course]\nname = "Tiny"\nassignments = ["{tiny.name}"]\n[limits]\n{limits}\n',
        f"assignments/{tiny.name}/{tiny.name}.py": text,
        f"autograder/hidden/test_{tiny.name}.py": hidden,
        "solutions/__init__.py": "" if bank else None,
        "solutions/mistakes/__init__.py": bank or None,
    }
    for name, content in files.items():
        if content is not None:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(content)
    return tiny


@contextlib.contextmanager
def own_modules():
    """Let a course import its own `solutions`; afterwards everything is as before."""
    path = list(sys.path)
    kept = {name: module for name, module in sys.modules.items() if name.split(".")[0] in OWN_PACKAGES}
    for name in kept:
        del sys.modules[name]
    try:
        yield
    finally:
        for name in [name for name in sys.modules if name.split(".")[0] in OWN_PACKAGES]:
            del sys.modules[name]
        sys.modules.update(kept)
        sys.path[:] = path


def raw(source: str, grade_id: str = "", cell_type: str = "code") -> RawCell:
    return RawCell(cell_type, source, grade_id)


def source_cell(name: str, kind: str, released: str, points: float | None = None, source: str = "") -> SourceCell:
    """A cell of an assignment that was never built, with the metadata that a build would give."""
    flags = {"grade": kind in ("tests", "manual"), "locked": kind in ("tests", "locked")}
    metadata = {} if kind == "plain" else {"grade_id": name, "solution": kind in ("solution", "manual"), **flags}
    cell_type = "markdown" if kind in ("manual", "plain") else "code"
    return SourceCell(name, kind, cell_type, source or released, released, points, metadata)
