"""Builds an assignment: text notebook -> `source/` (with answers) -> `release/` (for students)."""

from __future__ import annotations

import hashlib
import math
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import nbformat
from traitlets.config import Config

from headcheck.course.config import Course
from headcheck.course.files import write_atomically
from headcheck.course.generating import generate
from headcheck.course.markers import Expander, Place, TextCell, read_text_notebook
from headcheck.course.stubs import BEGIN, END, stub_of
from headcheck.errors import UsageError
from headcheck.i18n import _

HIDDEN_CALL = "from headcheck import grade"

HIDDEN_REGION = """\
### BEGIN HIDDEN TESTS
from headcheck import grade
grade("{task}")
### END HIDDEN TESTS"""


@dataclass(frozen=True)
class Built:
    """The two notebooks of one assignment, as bytes."""

    source: bytes
    release: bytes


def build_assignment(
    course: Course, assignment: str, hidden_points: Mapping[str, float], expanders: Mapping[str, Expander]
) -> Built:
    """Build one assignment in memory.

    Args:
        course: the course.
        assignment: name of the assignment.
        hidden_points: task -> sum of the points of its hidden tests.
        expanders: kinds of cells that other rooms expand.

    Returns:
        Both notebooks; the same text gives the same bytes.

    Raises:
        UsageError: a mistake of the author, `file:line: what`.
    """
    path = course.text_file(assignment)
    cells = read_text_notebook(path, expanders)
    _check_points(path, cells, hidden_points)
    _check_regions(path, cells)
    source = nbformat.writes(_notebook(cells)).encode() + b"\n"
    return Built(source, _release(assignment, source))


def write_built(course: Course, assignment: str, built: Built) -> list[Path]:
    """Write the notebooks that differ from what is there.

    Args:
        course: the course.
        assignment: name of the assignment.
        built: the notebooks.

    Returns:
        The files that were written.
    """
    stale = stale_files(course, assignment, built)
    for path in stale:
        content = built.source if path == course.source_file(assignment) else built.release
        write_atomically(path, content)
    return stale


def stale_files(course: Course, assignment: str, built: Built) -> list[Path]:
    """List the committed notebooks that are not what the text notebook builds to.

    Args:
        course: the course.
        assignment: name of the assignment.
        built: the notebooks as they should be.

    Returns:
        Paths that are missing or different.
    """
    wanted = {course.source_file(assignment): built.source, course.release_file(assignment): built.release}
    return [path for path, content in wanted.items() if not path.is_file() or path.read_bytes() != content]


def _check_points(path: Path, cells: list[TextCell], hidden_points: Mapping[str, float]) -> None:
    tests = {cell.name: cell for cell in cells if cell.kind == "tests"}
    for name, cell in tests.items():
        if name not in hidden_points:
            raise Place(path, cell.line).error(_("task {name} has no hidden grader").format(name=name))
        if not math.isclose(hidden_points[name], cell.points or 0):
            raise Place(path, cell.line).error(
                _("points of {name} do not add up: {here:g} here, {hidden:g} in its hidden tests").format(
                    name=name, here=cell.points or 0, hidden=hidden_points[name]
                )
            )
    for name in hidden_points:
        if name not in tests:
            raise Place(path, 1).error(_("a hidden grader tests {name}, but there is no such task").format(name=name))


def _check_regions(path: Path, cells: list[TextCell]) -> None:
    """Demand well-formed answers, and regions only where they belong; nbgrader would not say where the mistake is."""
    for cell in cells:
        place = Place(path, cell.line)
        if cell.kind not in ("solution", "manual") and (BEGIN in cell.source or END in cell.source):
            raise place.error(_("a solution region in a cell that is not a solution"))
        if "### BEGIN HIDDEN TESTS" in cell.source or "### END HIDDEN TESTS" in cell.source:
            raise place.error(_("the hidden region is appended by the build; hidden tests stand in autograder/hidden"))
        if cell.kind == "solution":
            try:
                stub_of(cell.source)
            except UsageError as error:
                raise place.error(str(error)) from error


def _notebook(cells: list[TextCell]) -> nbformat.NotebookNode:
    """Expand the cells to a notebook with nbgrader's metadata, schema 3."""
    notebook = nbformat.v4.new_notebook(
        metadata={
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
            "language_info": {"name": "python"},
        }
    )
    used: set[str] = set()
    for cell in cells:
        make = nbformat.v4.new_markdown_cell if cell.cell_type == "markdown" else nbformat.v4.new_code_cell
        node = make(cell.source)
        if cell.kind == "plain":
            node.id = _plain_id(cell.source, used)
        else:
            node.id = cell.grade_id
            node.metadata["nbgrader"] = _nbgrader_metadata(cell)
        if cell.folded:
            node.metadata["jupyter"] = {"source_hidden": True}
        if cell.kind == "tests":
            node.metadata["tags"] = ["raises-exception"]  # "Run All" goes on after a check that fails
            node.source = "\n".join(part for part in (cell.source, HIDDEN_REGION.format(task=cell.name)) if part)
        notebook.cells.append(node)
    return notebook


def _nbgrader_metadata(cell: TextCell) -> dict[str, object]:
    metadata: dict[str, object] = {
        "grade": cell.kind in ("tests", "manual"),
        "grade_id": cell.grade_id,
        "locked": cell.kind in ("tests", "locked"),
        "schema_version": 3,
        "solution": cell.kind in ("solution", "manual"),
        "task": False,
    }
    if cell.points is not None:
        metadata["points"] = int(cell.points) if cell.points == int(cell.points) else cell.points
    return metadata


def _plain_id(source: str, used: set[str]) -> str:
    """Make a cell id from the text, so that it stays when other cells come and go."""
    count = 0
    while True:
        digest = hashlib.sha256(f"{count}\n{source}".encode()).hexdigest()[:12]
        if digest not in used:
            used.add(digest)
            return f"text-{digest}"
        count += 1


def _release(assignment: str, source: bytes) -> bytes:
    """Run nbgrader's generate_assignment on the source notebook in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="headcheck-build-") as folder:
        root = Path(folder)
        (root / "source" / assignment).mkdir(parents=True)
        (root / "source" / assignment / f"{assignment}.ipynb").write_bytes(source)
        config = Config()
        config.CourseDirectory.root = str(root)
        generate(config, assignment)
        return (root / "release" / assignment / f"{assignment}.ipynb").read_bytes()
