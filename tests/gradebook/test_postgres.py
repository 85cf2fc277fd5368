"""A gradebook in PostgreSQL holds what one in SQLite holds; a real server is started for it."""

import contextlib
import csv
import io
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from headcheck.cli import main
from headcheck.course.generating import enter_assignment
from headcheck.errors import UsageError
from headcheck.gradebook.address import check_database
from headcheck.gradebook.config import load_config
from headcheck.gradebook.database import alone, beside_others, open_gradebook
from headcheck.gradebook.mend import mend_nbgrader
from nbgrader.api import Comment
from nbgrader.coursedir import CourseDirectory
from small_course import GOOD
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

psycopg2 = pytest.importorskip("psycopg2", reason='no driver for PostgreSQL: pip install "headcheck[postgres]"')

pytestmark = pytest.mark.filterwarnings("ignore:Object of type", "ignore::DeprecationWarning")

SCRIPTS = Path(sys.executable).parent
BINARIES = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb")) or [Path(shutil.which("initdb") or "/initdb")]
OWNER = "postgres" if os.geteuid() == 0 else None
"""The server refuses to run as root."""

TOO_LONG = "l" * 150
STUDENTS = {
    "ann": GOOD,
    "Ann": {"double": "def double(x):\n    return x * x\n"},
    'o\'brien "x" çağrı oʻ 😀': {"total": "def total(x):\n    raise ValueError('\\0 é' * 50_000)\n"},
    "%s :x {y}": {"double": "def double(x):\n    return 'x\0y' + '\\0'\n", "why": "NUL \0, ' \" \\ %s :x"},
}


@pytest.fixture(scope="module")
def server():
    """Start a server on a folder of its own; give out the address of a new, empty database."""
    if not BINARIES[-1].is_file():
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    with tempfile.TemporaryDirectory(prefix="pg-", dir="/tmp") as folder:  # the path of a socket must be short
        if OWNER:
            shutil.chown(folder, OWNER)
        control = [BINARIES[-1].with_name("pg_ctl"), "-D", f"{folder}/data", "-w", "-s"]
        run_server(BINARIES[-1], "-D", f"{folder}/data", "-A", "trust", "-U", "teacher", "-E", "UTF8", "-N")
        options = f"-k {folder} -c listen_addresses='' -c fsync=off"
        run_server(*control, "-l", f"{folder}/log", "-o", options, "start")
        try:
            yield lambda name: new_database(folder, name)
        finally:
            run_server(*control, "-m", "immediate", "stop")


def run_server(*command):
    user = {"user": OWNER, "group": pwd.getpwnam(OWNER).pw_gid, "extra_groups": []} if OWNER else {}
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL, cwd="/", timeout=60, **user)


def new_database(folder, name):
    with contextlib.closing(psycopg2.connect(host=folder, user="teacher", dbname="postgres")) as connection:
        connection.autocommit = True
        connection.cursor().execute(f'CREATE DATABASE "{name}"')
    return f"postgresql://teacher:secret@/{name}?host={folder}"


def class_folder(tiny, folder, url=None):
    """A class folder with everybody's submission, with its gradebook at an address."""
    shutil.copytree(tiny.root, folder)
    for student, answers in STUDENTS.items():
        tiny.notebook(folder / "submitted" / student / tiny.name / f"{tiny.name}.ipynb", **answers)
    if url:
        configure(folder, url)
    return folder


def configure(folder, url):
    (folder / "nbgrader_config.py").write_text(
        "from headcheck.gradebook.config import configure\n"
        f"c = get_config()\nconfigure(c)\nc.CourseDirectory.db_url = {url!r}\n"
    )


def run(folder, program, *arguments):
    command = [SCRIPTS / program, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


def exported(folder):
    result = CliRunner().invoke(main, ["export", "csv", "--course", str(folder)])
    assert result.exit_code == 0, result.output
    return [row for row in csv.DictReader(io.StringIO(result.stdout, newline="")) if row["student_id"] != TOO_LONG]


@pytest.fixture(scope="module")
def in_sqlite(tiny, tmp_path_factory):
    """What `headcheck grade` enters in SQLite."""
    folder = class_folder(tiny, tmp_path_factory.mktemp("sqlite") / "class")
    result = run(folder, "headcheck", "grade", tiny.name)
    assert result.returncode == 0, result.stderr
    return exported(folder)


@pytest.fixture(scope="module")
def graded(server, tiny, tmp_path_factory):
    """A class graded into PostgreSQL by the real command; one student's name is longer than its column."""
    folder = class_folder(tiny, tmp_path_factory.mktemp("postgres") / "class", server("graded"))
    tiny.notebook(folder / "submitted" / TOO_LONG / tiny.name / f"{tiny.name}.ipynb", **GOOD)
    return folder, run(folder, "headcheck", "grade", tiny.name)


def test_a_class_gets_the_same_scores_in_postgresql_as_in_sqlite(graded, in_sqlite):
    folder, _result = graded
    assert {row["student_id"] for row in in_sqlite} == set(STUDENTS)
    assert exported(folder) == in_sqlite


def test_what_the_database_refuses_is_said_and_costs_nobody_else_anything(graded):
    _folder, result = graded
    assert result.returncode == 1
    said = " ".join(result.stdout.split())
    assert "no score was entered" in said
    assert "value too long for type character varying(128)" in said


def test_the_password_is_never_shown(graded):
    _folder, result = graded
    assert "postgresql://teacher:***@/graded" in result.stdout.replace("\n", "")
    assert "secret" not in result.stdout + result.stderr


def test_nbgraders_own_autograde_enters_the_same(server, tiny, tmp_path, in_sqlite):
    folder = class_folder(tiny, tmp_path / "class", server("own_commands"))
    mend_nbgrader()
    enter_assignment(load_config(folder), tiny.course, tiny.name)
    result = run(folder, "nbgrader", "autograde", tiny.name)
    assert result.returncode == 0, result.stderr
    assert exported(folder) == in_sqlite


def test_nbgraders_own_export_still_works(graded):
    folder, _result = graded
    assert run(folder, "nbgrader", "export", "--to", "own.csv").returncode == 0
    assert len((folder / "own.csv").read_text().splitlines()) == 1 + len(STUDENTS)


def test_two_graders_may_begin_at_once_with_an_empty_database(server, tiny, tmp_path, in_sqlite):
    url, processes = server("at_once"), []
    for number, student in enumerate(list(STUDENTS)[:2]):
        folder = class_folder(tiny, tmp_path / f"class_{number}", url)
        command = [SCRIPTS / "headcheck", "grade", tiny.name, "--student", student]
        processes.append(subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
    outputs = [process.communicate(timeout=120)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0], outputs
    scores = [(row["student_id"], row["task"], row["score"]) for row in exported(folder)]
    assert scores == [
        (row["student_id"], row["task"], row["score"]) for row in in_sqlite if row["student_id"] in list(STUDENTS)[:2]
    ]


def test_nobody_enters_verdicts_while_another_enters_the_assignment(graded, gradebook):
    folder, _result = graded
    gradebook.db.execute(text("SET lock_timeout = '50ms'"))
    gradebook.db.commit()
    beside_others(gradebook)
    gradebook.db.commit()
    with alone(CourseDirectory(config=load_config(folder)).db_url), pytest.raises(OperationalError, match="timeout"):
        beside_others(gradebook)


@pytest.fixture
def gradebook(graded):
    folder, _result = graded
    with open_gradebook(CourseDirectory(config=load_config(folder))) as book:
        yield book


def comment_of(book, tiny):
    return book.find_comment("why", tiny.name, tiny.name, "ann")


@pytest.mark.parametrize("text", ["o'b\"\\ %s :x {y}", "çağrı oʻ 😀 \u2028", "é" * 1_000_000, "\x01\x1b[2J"])
def test_texts_come_back_as_they_were_written(gradebook, tiny, text):
    comment_of(gradebook, tiny).manual_comment = text
    gradebook.db.commit()
    gradebook.db.expire_all()
    assert comment_of(gradebook, tiny).manual_comment == text


def test_a_text_with_nul_is_refused_and_the_gradebook_can_be_used_on(gradebook, tiny):
    before = gradebook.db.query(Comment).count()
    comment_of(gradebook, tiny).manual_comment = "a\0b"
    with pytest.raises(ValueError, match="NUL"):
        gradebook.db.commit()
    gradebook.db.rollback()
    assert gradebook.db.query(Comment).count() == before


def test_a_broken_statement_is_one_line(graded):
    folder, _result = graded
    with (
        pytest.raises(UsageError, match=r'gradebook postgresql://teacher:.*: relation "nothing" does not exist'),
        open_gradebook(CourseDirectory(config=load_config(folder))) as book,
    ):
        book.db.connection().exec_driver_sql("SELECT * FROM nothing")


def test_a_server_that_is_not_there_is_one_line_before_anything_is_graded(tiny, tmp_path):
    folder = class_folder(tiny, tmp_path / "class", f"postgresql://teacher:secret@/graded?host={tmp_path}")
    result = CliRunner().invoke(main, ["grade", tiny.name, "--course", str(folder)])
    assert result.exit_code == 2
    assert "gradebook postgresql://teacher:***@/graded" in result.stderr
    assert "Traceback" not in result.stderr
    assert not (folder / "autograded").exists()


def test_a_missing_driver_is_one_line_that_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg2", None)
    with pytest.raises(UsageError, match=r'driver is missing .*pip install "headcheck\[postgres\]"'):
        check_database("postgresql://teacher@/graded")
