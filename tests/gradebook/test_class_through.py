"""A class from submissions to gradebook and pages: what is done once, what again, what is told."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest
from deadly import DEADLY, HALF, deadly_text, grade, hand_in, verdicts, wishing
from headcheck.cli.grade import part
from headcheck.errors import UsageError
from headcheck.gradebook.classes.ledger import open_ledger
from nbgrader.api import Gradebook
from small_course import BANK, GOOD, LIMITS, TEXT, Tiny, lay_out, own_modules

pytestmark = pytest.mark.filterwarnings("ignore:Object of type")  # nbgrader's own use of its database


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A course whose graders may die, and a class of it, graded once."""
    with own_modules():
        tiny = lay_out(tmp_path_factory.mktemp("built") / "course", deadly_text(TEXT), DEADLY, LIMITS, BANK)
        tiny.build()
        hand_in(tiny, "ann", **GOOD)
        hand_in(tiny, "bob", **HALF)
        (tiny.root / "submitted" / "eve" / tiny.name).mkdir(parents=True)
        tiny.first = grade(tiny)
    return tiny


@pytest.fixture
def graded(built, tmp_path):
    """A copy of it: a class that is moved still stands."""
    shutil.copytree(built.root, tmp_path / "course")
    return Tiny(tmp_path / "course", built.name)


def book(tiny):
    return Gradebook(f"sqlite:///{tiny.root}/gradebook.db")


def scores(tiny):
    with book(tiny) as gradebook:
        return {s.student.id: s.score for s in gradebook.find_assignment(tiny.name).submissions}


def page(tiny, student):
    return tiny.root / "feedback" / student / tiny.name / f"{tiny.name}.html"


def stored(tiny, student):
    return tiny.root / "autograded" / student / tiny.name / f"{tiny.name}.ipynb"


def test_every_student_gets_a_verdict_points_a_notebook_and_a_page(built):
    status, text = built.first
    assert status == 0
    assert "3 graded now, 0 verdicts kept" in text
    assert verdicts(built) == scores(built) == {"ann": 6, "bob": 3, "eve": 0}
    assert {path.stat().st_mode & 0o777 for path in (stored(built, name) for name in scores(built))} == {0o444}
    assert "squared" in page(built, "bob").read_text()
    assert "no " in page(built, "eve").read_text()


def test_nothing_is_done_where_everything_stands(graded):
    before = {path: path.stat().st_mtime_ns for path in graded.root.rglob("*") if path.is_file()}
    status, text = grade(graded)
    assert status == 0
    assert "0 graded now, 3 verdicts kept" in text
    assert {path: path.stat().st_mtime_ns for path in graded.root.rglob("*") if path.is_file()} == before


def test_only_what_is_new_or_changed_is_graded(graded):
    hand_in(graded, "bob", **GOOD)
    hand_in(graded, "zoe", **HALF)
    status, text = grade(graded)
    assert status == 0
    assert "2 graded now, 2 verdicts kept" in text
    assert "bob: 3 points became 6" in text
    assert scores(graded) == {"ann": 6, "bob": 6, "eve": 0, "zoe": 3}


@pytest.mark.parametrize("what", [page, stored])
def test_a_file_that_was_removed_is_written_again_without_grading(graded, what):
    what(graded, "ann").unlink()
    assert "0 graded now, 3 verdicts kept" in grade(graded)[1]
    assert what(graded, "ann").is_file()


def test_points_that_were_lost_are_entered_again_without_grading(graded):
    with book(graded) as gradebook:
        gradebook.remove_submission(graded.name, "ann")
    assert "0 graded now, 3 verdicts kept" in grade(graded)[1]
    assert scores(graded)["ann"] == 6


def test_what_a_person_gave_comes_to_the_page_and_stays_as_it_is(graded):
    with book(graded) as gradebook:
        grade_row = gradebook.find_grade("why", graded.name, graded.name, "ann")
        grade_row.manual_score, grade_row.needs_manual_grade = 1, False
        gradebook.find_comment("why", graded.name, graded.name, "ann").manual_comment = "well reasoned"
        gradebook.db.commit()
    assert "0 graded now" in grade(graded)[1]
    assert "well reasoned" in page(graded, "ann").read_text()
    assert scores(graded)["ann"] == 7
    with book(graded) as gradebook:
        assert not gradebook.find_grade("why", graded.name, graded.name, "ann").needs_manual_grade


def test_a_damaged_verdict_is_told_in_one_line_and_made_again(graded):
    path = graded.root / ".headcheck" / "verdicts" / graded.name / "ann" / "verdict.json"
    path.write_text("{")
    status, text = grade(graded)
    assert (status, text.count("it counts as missing")) == (0, 1)
    assert "1 graded now, 2 verdicts kept" in text
    assert verdicts(graded)["ann"] == 6


def test_a_damaged_record_costs_no_grading(graded):
    (graded.root / ".headcheck" / "entered" / f"{graded.name}.json").write_text('{"students": 3}')
    status, text = grade(graded)
    assert (status, text.count("everything is entered again")) == (0, 1)
    assert "0 graded now, 3 verdicts kept" in text


def test_a_changed_hidden_test_grades_again_and_tells_whose_points_changed(graded):
    hidden = graded.course.hidden_file(graded.name)
    hidden.write_text(hidden.read_text().replace("lambda x: 2 * x", "lambda x: x * x"))
    text = grade(graded)[1]
    assert "3 graded now" in text
    assert "ann: 6 points became 3" in text
    assert "bob: 3 points became 6" in text
    assert scores(graded) == {"ann": 3, "bob": 6, "eve": 0}


def test_grading_again_is_done_when_asked_for(graded):
    assert "3 graded now, 0 verdicts kept" in grade(graded, regrade=True)[1]


def test_a_submission_that_ends_the_grader_gets_a_verdict_that_says_so(graded):
    hand_in(graded, "bob", **wishing("die"))
    status, text = grade(graded)
    assert status == 0
    assert "bob: 3 points became 0" in text
    assert "more than once" in page(graded, "bob").read_text()
    assert "0 graded now, 3 verdicts kept" in grade(graded)[1]


def test_machines_get_one_object_a_line(graded, capsys):
    status, _text = grade(graded, as_json=True)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert status == 0
    assert [(line["student"], line["score"]) for line in lines] == [("ann", 6), ("bob", 3), ("eve", 0)]
    assert all(line.keys() >= {"notebook", "assignment", "max_score", "isolation", "tasks"} for line in lines)


def test_parts_of_a_class_are_put_together(graded):
    shutil.rmtree(graded.root / ".headcheck")
    for name in ("gradebook.db", "autograded", "feedback"):
        path = graded.root / name
        path.unlink() if path.is_file() else shutil.rmtree(path)
    assert "2 graded now" in grade(graded, shard=(1, 2))[1]
    assert not (graded.root / "gradebook.db").exists()
    status, text = grade(graded, merge=True)
    assert status == 1
    assert "bob" in text
    assert "grade its shard" in text
    assert scores(graded) == {"ann": 6, "eve": 0}
    grade(graded, shard=(2, 2))
    assert grade(graded, merge=True)[0] == 0
    assert scores(graded) == {"ann": 6, "bob": 3, "eve": 0}


def test_parts_made_with_different_versions_are_not_put_together(graded):
    path = graded.root / ".headcheck" / "verdicts" / graded.name / "ann" / "verdict.json"
    content = json.loads(path.read_text())
    content["versions"]["torch"] = "1.0"
    path.write_text(json.dumps(content))
    with pytest.raises(UsageError, match=r"different versions \(torch 1\.0 / "):
        grade(graded, merge=True)
    assert "1 graded now, 2 verdicts kept" in grade(graded)[1]


@pytest.mark.parametrize("text", ["", "3", "0/2", "3/2", "a/b", "1/0", "-1/2", "1/2/3"])
def test_a_part_that_is_none_is_refused(text):
    with pytest.raises(UsageError, match="K/N"):
        part(text)


def test_a_killed_run_loses_nothing_and_the_next_one_goes_on(graded):
    shutil.rmtree(graded.root / ".headcheck")
    for number in range(12):
        hand_in(graded, f"s{number:02d}", **GOOD)
    command = [sys.executable, "-c", "from headcheck.cli import main; main()", "grade", graded.name, "--workers", "1"]
    run = subprocess.Popen(
        [*command, "--course", str(graded.root)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    until = time.monotonic() + 120
    while len(verdicts(graded)) < 4 and time.monotonic() < until:
        time.sleep(0.02)
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    time.sleep(1)  # the worker notices and ends
    kept = len(verdicts(graded))
    assert 4 <= kept < 15
    status, text = grade(graded)
    assert status == 0
    assert f"{15 - kept} graded now, {kept} verdicts kept" in text
    assert scores(graded) == {"ann": 6, "bob": 3, "eve": 0, **{f"s{number:02d}": 6 for number in range(12)}}


def test_late_submissions_cost_what_nbgraders_plugin_says(graded):
    (graded.root / "nbgrader_config.py").write_text(
        "c = get_config()\nc.LateSubmissionPlugin.penalty_method = 'zero'\n"
    )
    with book(graded) as gradebook:
        gradebook.update_or_create_assignment(graded.name, duedate="2026-02-01 00:00:00 UTC")
    for student, day in (("ann", 3), ("bob", 1)):
        folder = graded.root / "submitted" / student / graded.name
        (folder / "timestamp.txt").write_text(f"2026-0{day}-01 00:00:00 UTC")
    assert "0 graded now" in grade(graded)[1]
    with book(graded) as gradebook:
        penalties = {
            s.student.id: s.late_submission_penalty for s in gradebook.find_assignment(graded.name).submissions
        }
    assert penalties == {"ann": 6, "bob": 0, "eve": 0}
    assert (page(graded, "ann").parent / "timestamp.txt").is_file()


def test_one_student_whose_points_are_refused_costs_no_other(graded, monkeypatch):
    (graded.root / "nbgrader_config.py").write_text("c = get_config()\nc.Autograde.create_student = False\n")
    hand_in(graded, "new", **GOOD)
    status, text = grade(graded)
    assert status == 1
    assert "the gradebook has no student new" in text
    assert scores(graded) == {"ann": 6, "bob": 3, "eve": 0}


def test_the_assignment_is_entered_once(graded, monkeypatch):
    from headcheck.gradebook.config import load_config

    monkeypatch.setattr("headcheck.gradebook.classes.ledger.enter_assignment", None)
    with open_ledger(load_config(graded.root), graded.course, graded.name) as ledger:
        assert ledger.marks["checksums"].keys() >= {"double", "double_tests", "why"}
