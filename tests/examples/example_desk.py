"""Running the real commands on a copy of the example class, and reading what came of it."""

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

ROOT = Path(__file__).resolve().parents[2]
CLASS = ROOT / "examples" / "class"
ASSIGNMENTS = ("quiz", "bug_hunt", "from_scratch", "two_relations", "torch_module")
"""What is graded here. The two notebooks that train models need longer deadlines on a busy machine than the course
gives: tests/gradebook/test_model_answers.py grades them."""

CHECKED = ("quiz", "bug_hunt")
"""What `headcheck check` is asked as well; the others were handed in by three students and only cost time."""

MARKER = "headcheck-marker-*"
"""What the attackers of the class would leave behind."""

STOCK_STUDENTS = ("chiara", "gulnora", "hugo", "pavel", "sven", "yuki")
"""Warnings, marks lost, test cells deleted, half a file, os._exit, doubled cells."""


def environment(home: Path) -> dict[str, str]:
    """The environment of an instructor: the venv's commands, a name, a home of his own."""
    home.mkdir(exist_ok=True)
    bin_folder = Path(sys.executable).parent
    return {
        "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
        "USER": "instructor",
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "COLUMNS": "160",  # a table with all columns
        "HEADCHECK_LANG": "en",
        "OMP_NUM_THREADS": "1",  # several commands run side by side; threads would wait for each other
    }


def start(command: list[str], folder: Path, home: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command,
        cwd=folder,
        env=environment(home),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@dataclass
class Finished:
    """How a command ended."""

    status: int
    stdout: str
    stderr: str


def finish(process: subprocess.Popen[str]) -> Finished:
    stdout, stderr = process.communicate(timeout=400)
    return Finished(process.returncode, stdout, stderr)


def run(command: list[str], folder: Path, home: Path) -> Finished:
    return finish(start(command, folder, home))


def contents(folder: Path) -> dict[str, str]:
    """Every file below a folder with a digest of its bytes; compiled Python left aside."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def expected_of(student: str, assignment: str) -> dict[str, Any]:
    expected: dict[str, Any] = json.loads((CLASS / "expected.json").read_text(encoding="utf-8"))
    return expected[student][assignment]


def works() -> list[tuple[str, str]]:
    """Student and assignment of everything that is graded here, as expected.json has it."""
    expected = json.loads((CLASS / "expected.json").read_text(encoding="utf-8"))
    return [(student, name) for student, given in expected.items() for name in given if name in ASSIGNMENTS]


def stored_verdicts(folder: Path, student: str, assignment: str) -> dict[str, dict[str, Any]]:
    """What autograde wrote into the stored notebook, by task."""
    path = folder / "autograded" / student / assignment / f"{assignment}.ipynb"
    cells = nbformat.read(path, as_version=4).cells
    return {cell.metadata.headcheck.task: cell.metadata.headcheck for cell in cells if "headcheck" in cell.metadata}


@dataclass
class Graded:
    """The example class after grading, and what lay around it before."""

    folder: Path
    around: Path
    before: dict[str, str]
    course_before: dict[str, str]
    course_after: dict[str, str]
    grade: Finished
    check: Finished

    @property
    def database(self) -> Path:
        return self.folder / "gradebook.db"


def course_contents() -> dict[str, str]:
    """What attackers would like to change in the course itself."""
    folders = ("source", "release", "autograder/hidden", "examples/class")
    return {f"{folder}/{name}": digest for folder in folders for name, digest in contents(ROOT / folder).items()}
