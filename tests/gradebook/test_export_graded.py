"""From submitted notebooks to the file that Canvas imports, with the real commands."""

import csv
import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from headcheck.cli import main
from small_course import GOOD

HEADCHECK = Path(sys.executable).with_name("headcheck")

SQUARED = "def double(x):\n    return x * x\n"

CANVAS = (
    "\ufeffStudent,ID,SIS Login ID,Section,Double (77),Final Score\r\n"
    "    Points Possible,,,,6.0,(read only)\r\n"
    '"Abe, Ann",1,ANN,A,,\r\n'
    '"Ray, Zoe",2,zoe@uni.edu,"A ""x""",1.0,9.0\r\n'
    '"Öz, Bob",3,bob,A,EX,\r\n'
)


def run(*arguments, folder):
    result = subprocess.run(
        [HEADCHECK, *arguments],
        cwd=folder,
        capture_output=True,
        timeout=120,
        env={**os.environ, "HEADCHECK_LANG": "en"},
    )
    assert b"Traceback" not in result.stderr
    return result


@pytest.fixture(scope="module")
def graded(tiny, tmp_path_factory):
    """A graded class of three."""
    folder = tmp_path_factory.mktemp("graded") / "class"
    shutil.copytree(tiny.root, folder)
    for student, answers in {"ann": GOOD, "zoe": {"double": SQUARED}, "bob": GOOD}.items():
        tiny.notebook(folder / "submitted" / student / tiny.name / f"{tiny.name}.ipynb", **answers)
    result = run("grade", tiny.name, folder=folder)
    assert result.returncode == 0, result.stderr
    (folder / "canvas.csv").write_bytes(CANVAS.encode())
    return folder


def test_the_csv_names_points_states_and_mistakes_by_task(graded, tiny):
    result = run("export", "csv", tiny.name, folder=graded)
    assert result.returncode == 0
    rows = csv.DictReader(io.StringIO(result.stdout.decode(), newline=""))
    found = {(row["student_id"], row["task"]): row for row in rows}
    assert list(found)[:3] == [("ann", "double"), ("ann", "total"), ("ann", "why")]
    right, wrong = found["ann", "double"], found["zoe", "double"]
    assert (right["score"], right["max_score"], right["state"], right["mistakes"]) == ("3", "3", "correct", "")
    assert (wrong["score"], wrong["state"], wrong["mistakes"]) == ("0", "incorrect", "squared")
    assert {row["assignment_score"] for (student, _task), row in found.items() if student == "ann"} == {"5"}


def test_canvass_file_is_filled_in_and_the_rest_is_byte_for_byte(graded, tiny):
    (graded / "logins.csv").write_text("student_id,login\nzoe,zoe@uni.edu\n")
    arguments = ["--assignment", tiny.name, "--column", "Double", "--map", "logins.csv", "-o", "filled.csv"]
    result = run("export", "lms", "canvas.csv", *arguments, folder=graded)
    assert (result.returncode, result.stdout) == (0, b"")
    wanted = CANVAS.replace("ANN,A,,", "ANN,A,5,").replace(",1.0,9.0", ",0,9.0")
    assert (graded / "filled.csv").read_bytes() == wanted.encode()
    assert result.stderr.decode().splitlines() == [
        "headcheck: column 'Double (77)': 2 scores filled in",
        "headcheck: excused or not assigned in the file; their field was left (1):",
        "headcheck:     bob",
    ]


def test_without_an_output_the_file_goes_to_standard_output_and_the_account_to_the_other(graded, tiny):
    result = run("export", "lms", "canvas.csv", "--assignment", tiny.name, "--column", "Double (77)", folder=graded)
    assert result.stdout.decode() == CANVAS.replace("ANN,A,,", "ANN,A,5,")
    assert "line 4: Ray, Zoe, 2, zoe@uni.edu" in result.stderr.decode()
    assert "students with a score who are not in the file (1):" in result.stderr.decode()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none.csv"], "none.csv: cannot be read: No such file or directory"),
        (["."], "cannot be read: Is a directory"),
        (["canvas.csv", "--column", "Typo"], "canvas.csv: no column 'Typo'; there are: Student, ID,"),
        (["canvas.csv", "--column", "Double", "--match", "Kimlik"], "no column 'Kimlik'"),
        (["canvas.csv", "--column", "Double", "--map", "canvas.csv"], "canvas.csv: row 2: needs a student id"),
        (["canvas.csv", "--column", "Double", "--out-of", "-1"], "Invalid value for '--out-of'"),
        (["canvas.csv", "--column", "Final Score"], "column 'Final Score' cannot be filled in: (read only)"),
    ],
)
def test_what_cannot_be_filled_in_is_one_line_and_nothing_is_written(graded, tiny, arguments, words, monkeypatch):
    monkeypatch.chdir(graded)
    (graded / "old.csv").write_text("old")
    result = CliRunner().invoke(main, ["export", "lms", *arguments, "--assignment", tiny.name, "-o", "old.csv"])
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith("headcheck: ")
    assert words in line
    assert (graded / "old.csv").read_text() == "old"
