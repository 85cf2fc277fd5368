"""Files that nbgrader ships with its own tests, where stock nbgrader has no good end."""

import shutil
from pathlib import Path

import nbformat
import nbgrader.tests
from headcheck.gradebook.config import load_config
from nbgrader.apps import NbGraderAPI
from nbgrader.coursedir import CourseDirectory

FILES = Path(nbgrader.tests.__file__).parent / "apps" / "files"
COURSE = '[course]\nname = "Plain"\nassignments = ["another"]\n[limits]\nmemory_mb = 128\n'


def test_an_endless_loop_that_fills_the_memory_is_graded_and_told(tmp_path):
    (tmp_path / "headcheck.toml").write_text(COURSE)
    for place in ("source/ps1", "submitted/foo/ps1"):
        (tmp_path / place).mkdir(parents=True)
        shutil.copy(FILES / "infinite-loop-with-output.ipynb", tmp_path / place / "p1.ipynb")
    config = load_config(tmp_path)
    api = NbGraderAPI(CourseDirectory(config=config), config=config)
    assert api.generate_assignment("ps1")["success"]
    result = api.autograde("ps1", "foo")
    assert result["success"], result
    found = nbformat.read(tmp_path / "autograded" / "foo" / "ps1" / "p1.ipynb", 4)
    errors = [output.ename for output in found.cells[0].outputs if output.output_type == "error"]
    assert errors in (["MemoryError"], ["process ended"])
