"""`headcheck export csv`: one row per student and task, readable by any program, run by none."""

import csv
import io
import json
import shutil
from datetime import datetime, timedelta

import pytest
from click.testing import CliRunner
from headcheck.cli import main
from headcheck.gradebook.export.table import COLUMNS, harmless, number
from hypothesis import given
from hypothesis import strategies as st
from nbgrader.api import Gradebook, SubmittedNotebook

pytestmark = pytest.mark.filterwarnings("ignore:Object of type")  # nbgrader's own use of its database

BOB = {"last_name": 'Öz, "B"', "first_name": "=HYPERLINK(1)", "email": "@bob\n\x1b[2Juni.edu"}


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A class folder with a graded class; making the tables takes two seconds."""
    folder = tmp_path_factory.mktemp("exported")
    with Gradebook(f"sqlite:///{folder}/gradebook.db") as book:
        for name in ("work", "both"):
            book.add_assignment(name, duedate="2026-11-01 12:00:00")
            book.add_notebook(name, name)
        for name, points in (("b_tests", 3), ("a_tests", 2), ("c_tests", 1)):
            book.add_grade_cell(name, "work", "work", max_score=points, cell_type="code")
        book.add_notebook("more", "both")
        for notebook in ("both", "more"):
            book.add_grade_cell("q", notebook, "both", max_score=1, cell_type="code")
        book.add_task_cell("essay", "work", "work", max_score=4, cell_type="markdown")
        book.add_student("ann", email="ann@uni.edu", last_name="Abe", first_name="Ann")
        book.add_student("bob", **BOB)
        book.add_student("zoe")
        book.add_submission("work", "ann", timestamp=datetime(2026, 11, 2, 9, 30, 1), extension=timedelta(days=1))
        book.add_submission("work", "bob")
        enter(book, "ann", a_tests=(2, None), b_tests=(1, 2.5), essay=(None, 1 / 3), penalty=1)
        enter(book, "bob", a_tests=(0, None), b_tests=(3, None), penalty=7)
    store_verdict(folder, "ann", a_tests={"state": "correct", "mistakes": []},
                  b_tests={"state": "partial", "mistakes": ["squared", "wrong-view"]})  # fmt: skip
    return folder


def enter(book, student, penalty, **scores):
    for name, (automatic, manual) in scores.items():
        grade = book.find_grade(name, "work", "work", student)
        grade.auto_score, grade.manual_score, grade.needs_manual_grade = automatic, manual, False
    submission = book.find_submission("work", student)
    book.db.query(SubmittedNotebook).filter_by(assignment_id=submission.id).one().late_submission_penalty = penalty
    book.db.commit()


def store_verdict(folder, student, **verdicts):
    path = folder / "autograded" / student / "work" / "work.ipynb"
    path.parent.mkdir(parents=True)
    cells = [{"metadata": {"nbgrader": {"grade_id": name}, "headcheck": each}} for name, each in verdicts.items()]
    path.write_text(json.dumps({"cells": [{"metadata": {}}, *cells]}))


@pytest.fixture
def folder(template, tmp_path):
    return shutil.copytree(template, tmp_path / "class")


def run(folder, *arguments):
    return CliRunner().invoke(main, ["export", "csv", "--course", str(folder), *map(str, arguments)])


def rows(text):
    return list(csv.DictReader(io.StringIO(text, newline="")))


def of(found, student, task):
    (row,) = [row for row in found if row["student_id"] == student and row["task"] == task]
    return row


def test_there_is_one_row_for_each_student_and_task(folder):
    result = run(folder, "work")
    assert result.exit_code == 0
    found = rows(result.stdout)
    assert result.stdout.splitlines()[0] == ",".join(COLUMNS)
    assert [(row["student_id"], row["task"]) for row in found] == [
        (student, task) for student in ("ann", "bob", "zoe") for task in ("a_tests", "b_tests", "c_tests", "essay")
    ]


def test_tasks_of_several_notebooks_are_named_by_notebook_and_assignments_come_in_order(folder):
    found = [(row["assignment"], row["task"]) for row in rows(run(folder).stdout) if row["student_id"] == "ann"]
    assert found[:3] == [("both", "both/q"), ("both", "more/q"), ("work", "a_tests")]
    assert rows(run(folder, "work", "both").stdout)[0]["assignment"] == "work"


def test_a_row_says_points_verdict_and_times(folder):
    found = rows(run(folder, "work").stdout)
    assert of(found, "ann", "b_tests") == {
        "student_id": "ann", "last_name": "Abe", "first_name": "Ann", "email": "ann@uni.edu",
        "assignment": "work", "task": "b_tests", "score": "2.5", "max_score": "3",
        "state": "partial", "mistakes": "squared wrong-view", "needs_manual_grade": "",
        "submitted": "2026-11-02 09:30:01Z", "due": "2026-11-02 12:00:00Z",
        "late_penalty": "1", "assignment_score": "3.8333", "assignment_max_score": "10",
    }  # fmt: skip


def test_a_task_that_waits_for_a_person_has_no_score_and_says_so(folder):
    row = of(rows(run(folder).stdout), "ann", "c_tests")
    assert (row["score"], row["needs_manual_grade"]) == ("", "yes")


def test_a_penalty_takes_no_more_than_there_is(folder):
    row = of(rows(run(folder).stdout), "bob", "b_tests")
    assert (row["score"], row["late_penalty"], row["assignment_score"]) == ("3", "7", "0")


def test_a_student_who_handed_in_nothing_is_there_without_a_score(folder):
    row = of(rows(run(folder).stdout), "zoe", "a_tests")
    assert (row["state"], row["score"], row["assignment_score"], row["max_score"]) == ("no_submission", "", "", "2")


def test_hostile_texts_are_quoted_and_harmless(folder):
    row = of(rows(run(folder).stdout), "bob", "essay")
    assert row["last_name"] == BOB["last_name"]
    assert row["first_name"] == "'" + BOB["first_name"]
    assert row["email"] == "'@bob\n\N{REPLACEMENT CHARACTER}[2Juni.edu"


def test_a_file_is_written_and_overwritten_whole(folder, tmp_path):
    target = tmp_path / "grades.csv"
    target.write_text("old")
    result = run(folder, "work", "-o", target)
    assert (result.exit_code, result.output) == (0, "")
    assert target.read_bytes() == run(folder, "work").stdout_bytes
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".tmp"] == []


def test_excel_gets_a_byte_order_mark(folder, tmp_path):
    run(folder, "--excel", "-o", tmp_path / "excel.csv")
    assert (tmp_path / "excel.csv").read_bytes() == b"\xef\xbb\xbf" + run(folder).stdout_bytes


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["typo"], "'typo' is not in the gradebook; it has: both, work"),
        (["-o", "."], "is a directory"),
        (["-o", "/proc/x/y.csv"], "/proc/x/y.csv: cannot be written"),
    ],
)
def test_what_cannot_be_exported_is_one_line(folder, arguments, words, monkeypatch):
    monkeypatch.chdir(folder)
    assert_one_line(run(folder, *arguments), words)


def assert_one_line(result, words):
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert words in line


def test_a_class_without_a_gradebook_is_said_and_none_is_made(tmp_path):
    assert_one_line(run(tmp_path), "there is no gradebook yet; run `headcheck grade` first")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("sqlite:///{folder}/nbgrader_config.py", "file is not a database"),
        ("nonsense", "db_url: not the address of a database"),
        ("mysql+nothing://me:secret@host/x", "the database driver is missing"),
        ("postgresql://me:secret@127.0.0.1:1/x", "postgresql://me:***@127.0.0.1:1/x: "),
    ],
)
def test_a_database_that_cannot_be_opened_is_said_without_the_password(folder, url, words):
    pytest.importorskip("psycopg2")
    text = f"c = get_config()\nc.CourseDirectory.db_url = {url.format(folder=folder)!r}\n"
    (folder / "nbgrader_config.py").write_text(text)
    result = run(folder)
    assert_one_line(result, words)
    assert "secret" not in result.stderr


@given(st.text(st.sampled_from("=+-@\t\r\n ＝0123.,aé\"'\x1b\x9b"), max_size=8))
def test_no_text_begins_like_a_formula_unless_it_is_a_number(text):
    shown = harmless(text)
    if shown.lstrip()[:1] in tuple("=+-@＝"):
        float(shown.replace(",", "."))
    assert not {"\x1b", "\x9b"} & set(shown)
    assert shown.removeprefix("'").replace("\N{REPLACEMENT CHARACTER}", "") == (
        text.removeprefix("'").replace("\x1b", "").replace("\x9b", "")
    )


@pytest.mark.parametrize("text", ["-5", "+998901234567", "3.5", "-2,5", "ann", "o'b", "a=b", ""])
def test_numbers_and_harmless_texts_stay_as_they_are(text):
    assert harmless(text) == text


@pytest.mark.parametrize("text", ["=1+1", "+1+1", "-1-1", "@SUM(1)", "\t=1", "\r=1", " =1", "-", "＝1"])
def test_formulas_get_an_apostrophe(text):
    assert harmless(text) == "'" + text


@pytest.mark.parametrize(
    ("value", "text"),
    [(3.0, "3"), (2.5, "2.5"), (1 / 3, "0.3333"), (100.0, "100"), (0.0, "0"), (1e-9, "0"), (None, "")],
)
def test_points_are_written_without_needless_digits(value, text):
    assert number(value) == text
