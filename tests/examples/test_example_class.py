"""The example class gets what a fair teacher would give, by every way of grading, whatever its students try."""

import json
import re
import shutil
import sqlite3
import tempfile
from pathlib import Path

import pytest
from example_desk import (
    ASSIGNMENTS,
    CHECKED,
    CLASS,
    MARKER,
    ROOT,
    STOCK_STUDENTS,
    contents,
    expected_of,
    run,
    stored_verdicts,
    works,
)
from headcheck.course.config import load_course
from headcheck.grading.grade import make_jail, with_grader
from make_class import class_files
from nbgrader.api import Gradebook
from students import STUDENTS, cheats

CHECK_FIELDS = {"notebook", "assignment", "score", "max_score", "isolation", "tasks"}
TASK_FIELDS = {"task", "score", "max_score", "state", "message", "mistakes", "divergence"}


def scores(folder: Path, assignment: str) -> dict[str, float]:
    """What the gradebook says."""
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as gradebook:
        return {submission.student.id: submission.score for submission in gradebook.assignment_submissions(assignment)}


def judged(verdicts) -> dict[str, dict]:
    """Reduce verdicts to what expected.json holds."""
    return {
        name: {"score": found["score"], "state": found["state"], "mistakes": list(found["mistakes"])}
        for name, found in verdicts.items()
    }


# The class itself


def test_the_committed_class_is_what_make_class_makes():
    committed = {
        str(path.relative_to(CLASS)): path.read_bytes()
        for path in [*CLASS.glob("submitted/*/*/*"), CLASS / "expected.json", CLASS / "README.md"]
    }
    made = class_files()
    assert sorted(committed) == sorted(made)
    assert [name for name in made if committed[name] != made[name]] == []


def test_the_class_uses_the_configuration_of_the_course():
    assert (CLASS / "nbgrader_config.py").read_bytes() == (ROOT / "nbgrader_config.py").read_bytes()


# `headcheck grade`


def test_the_whole_class_is_graded_without_a_complaint(graded):
    assert graded.grade.status == 0, graded.grade.stdout + graded.grade.stderr
    assert "Traceback" not in graded.grade.stdout + graded.grade.stderr
    assert "no score was entered" not in graded.grade.stdout


def test_the_printed_table_has_a_row_for_every_student(graded):
    assert [student.name for student in STUDENTS if not re.search(rf"\b{student.name}\b", graded.grade.stdout)] == []


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_the_gradebook_holds_the_expected_scores(graded, assignment):
    expected = {student: expected_of(student, name)["score"] for student, name in works() if name == assignment}
    assert scores(graded.folder, assignment) == expected


@pytest.mark.parametrize(("student", "assignment"), works())
def test_every_task_gets_its_points_its_state_and_its_mistakes(graded, student, assignment):
    assert judged(stored_verdicts(graded.folder, student, assignment)) == expected_of(student, assignment)["tasks"]


def test_every_student_gets_a_page_with_name_and_score_and_nobody_else_does(graded):
    pages = {path.relative_to(graded.folder / "feedback") for path in graded.folder.glob("feedback/*/*/*.html")}
    assert pages == {Path(student, assignment, f"{assignment}.html") for student, assignment in works()}
    for student, assignment in works():
        text = (graded.folder / "feedback" / student / assignment / f"{assignment}.html").read_text()
        wanted = expected_of(student, assignment)
        assert student in text
        assert f"{wanted['score']:g} / {wanted['max_score']:g}" in text


def test_every_student_has_one_row_and_nobody_gave_points_by_hand(graded):
    with sqlite3.connect(graded.database) as database:
        students = [row[0] for row in database.execute("SELECT id FROM student ORDER BY id")]
        by_hand = database.execute(
            "SELECT COUNT(*) FROM grade WHERE manual_score IS NOT NULL OR extra_credit IS NOT NULL"
        ).fetchone()[0]
    assert students == [student.name for student in STUDENTS]
    assert by_hand == 0


def test_maximum_points_are_those_of_the_course(graded):
    with Gradebook(f"sqlite:///{graded.database}") as gradebook:
        most = {name: gradebook.find_assignment(name).max_score for name in ("quiz", "bug_hunt")}
    assert most == {name: expected_of("amina", name)["max_score"] for name in most}


def test_texts_wait_for_a_person(graded):
    with Gradebook(f"sqlite:///{graded.database}") as gradebook:
        waiting = {s.student.id for s in gradebook.assignment_submissions("quiz") if s.needs_manual_grade}
    written = {name for name, assignment in works() if assignment == "quiz" and _wrote(expected_of(name, "quiz"))}
    assert waiting == written


def _wrote(expected) -> bool:
    return any(task["state"] == "manual" for task in expected["tasks"].values())


# What attackers did


def test_no_attack_left_a_marker(graded):
    places = [Path(tempfile.gettempdir()), Path("/tmp"), Path.cwd(), Path.home(), ROOT, Path("/")]
    assert [found for place in places for found in place.glob(MARKER)] == []
    assert list(graded.around.rglob(MARKER)) == []
    assert list(CLASS.rglob(MARKER)) == []


def test_nothing_was_written_outside_the_class_folder(graded):
    now = {name: digest for name, digest in contents(graded.around).items() if not name.startswith("home/")}
    assert {name for name, digest in graded.before.items() if now.get(name) != digest} == set()
    new = {Path(name).parts[:2] for name in now if name not in graded.before}
    assert new == {("class", name) for name in ("autograded", "feedback", "gradebook.db", ".headcheck")}


def test_the_course_itself_is_unchanged(graded):
    assert graded.course_after == graded.course_before


def test_the_gradebook_has_the_tables_that_nbgrader_makes(graded, stock):
    folder, _commands = stock
    assert _schema(graded.database) == _schema(folder / "gradebook.db")


def _schema(path: Path) -> list[tuple[str, str]]:
    with sqlite3.connect(path) as database:
        return sorted(database.execute("SELECT name, COALESCE(sql, '') FROM sqlite_master"))


def test_points_and_marks_in_a_students_metadata_change_nothing(graded):
    stored = (graded.folder / "autograded" / "dmitri" / "bug_hunt" / "bug_hunt.ipynb").read_text()
    points = {
        cell["metadata"]["nbgrader"]["points"]
        for cell in json.loads(stored)["cells"]
        if cell["metadata"].get("nbgrader", {}).get("grade")
    }
    assert points == {4}


def test_pages_tell_nothing_of_the_hidden_tests_and_the_answers(graded):
    secrets = {*_hidden_words(), *_answer_lines(), "BEGIN SOLUTION", "BEGIN HIDDEN", "from headcheck import grade"}
    for page in graded.folder.glob("feedback/*/*/*.html"):
        text = page.read_text()
        assert [secret for secret in secrets if secret in text] == [], page


def _hidden_words() -> set[str]:
    """Names of functions and claims in the hidden graders."""
    words: set[str] = set()
    for path in (ROOT / "autograder" / "hidden").glob("test_*.py"):
        text = path.read_text(encoding="utf-8")
        words |= {name for name in re.findall(r"^def (\w+)", text, re.MULTILINE) if "_" in name}
        words |= set(re.findall(r'^    """(.+)"""$', text, re.MULTILINE))
    return words


def _answer_lines() -> set[str]:
    """Lines of prose in the references and of the model answers to the texts."""
    words: set[str] = set()
    for path in (ROOT / "solutions").glob("*.py"):
        words |= set(re.findall(r'"""(.{20,}?)"""', path.read_text(encoding="utf-8")))
    source = json.loads((ROOT / "source" / "quiz" / "quiz.ipynb").read_text(encoding="utf-8"))
    for cell in source["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id", "").endswith("_why"):
            words |= {line.strip() for line in cell["source"] if len(line) > 20}
    return words


def test_nothing_of_a_students_is_html_on_a_page(graded):
    for page in graded.folder.glob("feedback/*/*/*.html"):
        text = page.read_text().lower()
        assert "<script" not in text, page
        assert "<img" not in text, page
    attacked = (graded.folder / "feedback" / "dmitri" / "quiz" / "quiz.html").read_text()
    assert "&lt;script&gt;" in attacked


def test_without_the_attackers_everybody_else_gets_the_same(graded):
    attackers = {student.name for student in cheats.STUDENTS}
    slow = {"nia"}
    course = load_course(ROOT)
    found = {}
    with make_jail(course) as jail:
        for assignment in ("quiz", "bug_hunt"):
            names = [name for name, which in works() if which == assignment and name not in attackers | slow]

            def grade(grader, assignment=assignment, names=names):
                for name in names:
                    path = CLASS / "submitted" / name / assignment / f"{assignment}.ipynb"
                    found[name, assignment] = grader.grade_file(path).to_json()["tasks"]

            with_grader(course, assignment, jail, grade)
    assert len(found) > 40
    for (name, assignment), tasks in found.items():
        alone = judged({task["task"]: task for task in tasks})
        assert alone == judged(stored_verdicts(graded.folder, name, assignment)), (name, assignment)


# `headcheck check`


def test_check_gives_one_json_line_for_each_readable_notebook_with_the_same_verdicts(graded):
    lines = [json.loads(line) for line in graded.check.stdout.splitlines()]
    found = {(Path(line["notebook"]).parts[-3], line["assignment"]): line for line in lines}
    asked = {work for work in works() if work[1] in CHECKED}
    assert sorted(found) == sorted(asked - {("pavel", "bug_hunt")})
    for (student, assignment), line in found.items():
        expected = expected_of(student, assignment)
        assert set(line) >= CHECK_FIELDS
        assert all(set(task) >= TASK_FIELDS for task in line["tasks"])
        assert (line["score"], line["max_score"]) == (expected["score"], expected["max_score"]), student
        assert judged({task["task"]: task for task in line["tasks"]}) == expected["tasks"], student


def test_check_says_in_one_line_what_cannot_be_read(graded):
    assert graded.check.status == 2
    (line,) = graded.check.stderr.splitlines()
    assert re.match(r"headcheck: .*pavel/bug_hunt/bug_hunt\.ipynb: not valid JSON", line)


# A second run


def test_a_broken_file_in_place_of_a_good_one_leaves_no_old_score_standing(graded, tmp_path):
    folder = tmp_path / "class"
    shutil.copytree(graded.folder, folder)
    path = folder / "submitted" / "amina" / "bug_hunt" / "bug_hunt.ipynb"
    path.write_bytes(path.read_bytes()[:5000])
    again = run(
        ["headcheck", "grade", "bug_hunt", "--course", str(folder), "--student", "amina"], folder, tmp_path / "home"
    )
    assert again.status == 0, again.stderr
    before, after = scores(graded.folder, "bug_hunt"), scores(folder, "bug_hunt")
    assert (before["amina"], after["amina"]) == (28, 0)
    assert {**before, "amina": 0} == after
    assert {found["state"] for found in stored_verdicts(folder, "amina", "bug_hunt").values()} == {"error"}
    page = (folder / "feedback" / "amina" / "bug_hunt" / "bug_hunt.html").read_text()
    assert "not valid JSON" in page
    assert "28 / 28" not in page


# nbgrader's own commands


def test_nbgraders_commands_end_well(stock):
    _folder, commands = stock
    for name, command in commands.items():
        assert command.status == 0, f"{name}: {command.stderr}"
        assert "Traceback" not in command.stderr


def test_nbgrader_releases_what_the_course_releases(stock):
    folder, _commands = stock
    released = folder / "release" / "bug_hunt" / "bug_hunt.ipynb"
    assert [path.name for path in released.parent.iterdir()] == ["bug_hunt.ipynb"]
    assert _sources(released) == _sources(ROOT / "release" / "bug_hunt" / "bug_hunt.ipynb")


def _sources(path: Path) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]]


@pytest.mark.parametrize("student", STOCK_STUDENTS)
def test_nbgrader_gives_what_headcheck_gives(stock, student):
    folder, _commands = stock
    expected = expected_of(student, "bug_hunt")
    assert scores(folder, "bug_hunt")[student] == expected["score"]
    assert judged(stored_verdicts(folder, student, "bug_hunt")) == expected["tasks"]
    page = (folder / "feedback" / student / "bug_hunt" / "bug_hunt.html").read_text()
    assert f"{expected['score']:g} / {expected['max_score']:g}" in page
