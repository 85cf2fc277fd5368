"""headcheck.toml: what it may say, and where a course is looked for."""

from pathlib import Path

import pytest
from headcheck.course import config
from headcheck.course.config import RunLimits, course_at, find_course, load_course
from headcheck.errors import UsageError

COURSE = '[course]\nname = "Tiny"\nassignments = ["one", "two"]\n'


@pytest.fixture
def write(tmp_path):
    def write_toml(text, folder="."):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "headcheck.toml").write_text(text)
        return tmp_path / folder

    return write_toml


def test_a_course_is_read_with_its_names_and_limits(write):
    course = load_course(write(COURSE + "[limits]\ncell_seconds = 3\n"))
    assert (course.name, course.assignments) == ("Tiny", ("one", "two"))
    assert course.limits == RunLimits(cell_seconds=3)


def test_an_assignment_may_have_times_of_its_own(write):
    course = load_course(write(COURSE + "[limits]\ncell_seconds = 3\n[limits.two]\ncall_seconds = 30\n"))
    assert course.limits_for("one") == RunLimits(cell_seconds=3)
    assert course.limits_for("two") == RunLimits(cell_seconds=3, call_seconds=30)


def test_files_of_an_assignment_lie_where_nbgrader_and_the_build_expect_them(write):
    root = write(COURSE)
    course = load_course(root)
    assert course.text_file("one") == root / "assignments/one/one.py"
    assert course.source_file("one") == root / "source/one/one.ipynb"
    assert course.release_file("one") == root / "release/one/one.ipynb"
    assert course.hidden_file("one") == root / "autograder/hidden/test_one.py"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "needs `assignments`"),
        ("[course]\nassignments = []\n", "needs `assignments`"),
        ("[course]\nassignments = 'one'\n", "needs `assignments`"),
        ("[course]\nassignments = [1]\n", "needs `assignments`"),
        ("[course]\nassignments = ['../etc']\n", "needs `assignments`"),
        ("course = 1\n", "must be a table"),
        (COURSE + "[limits]\ncell_second = 3\n", "no 'cell_second'; known: call_seconds"),
        (COURSE + "[limits]\ncell_seconds = 0\n", "must be a positive number"),
        (COURSE + "[limits]\ncell_seconds = -1\n", "must be a positive number"),
        (COURSE + "[limits]\ncell_seconds = true\n", "must be a positive number"),
        (COURSE + "[limits]\ncell_seconds = nan\n", "must be a positive number"),
        (COURSE + "[limits]\ncell_seconds = inf\n", "must be a positive number"),
        (COURSE + "[limits]\ncell_seconds = '3'\n", "must be a positive number"),
        ("limits = 1\n" + COURSE, "must be a table"),
        (COURSE + "[limits.three]\ncall_seconds = 3\n", "no 'three'"),
        (COURSE + "[limits.two]\nmemory_mb = 3\n", "takes cell_seconds, call_seconds only"),
        (COURSE + "[limits.two]\ncall_seconds = 0\n", "[limits.two] call_seconds must be a positive number"),
        (COURSE + "[limits]\ntwo = 3\n", "takes cell_seconds, call_seconds only"),
        (COURSE + "[feedback]\nhints = 'all'\n", "hints must be one of symptom, place, full"),
        (COURSE + "[feedback]\nhint = 'full'\n", "[feedback] knows `hints` and `deadlines` only"),
        (COURSE + "[feedback.deadlines]\none = 'tomorrow'\n", "needs a date and time"),
        (COURSE + "[feedback]\ndeadlines = 3\n", "needs a date and time"),
        (COURSE + "[jail]\nminimum = 'none'\n", "[jail] takes `minimum`"),
        (COURSE + "[jail]\nminimal = 'A'\n", "[jail] takes `minimum`"),
        ("[course\n", "cannot be read"),
        ("\0", "cannot be read"),
    ],
)
def test_what_headcheck_toml_may_not_say_is_refused_with_the_file(write, text, what):
    with pytest.raises(UsageError) as raised:
        load_course(write(text))
    assert "headcheck.toml: " in str(raised.value)
    assert what in str(raised.value)


def test_students_are_told_the_place_of_a_mistake_and_all_after_the_deadline_of_the_assignment(write):
    past, future = "one = 2000-01-01T00:00:00Z", "two = 2999-01-01T00:00:00"
    course = load_course(write(f"{COURSE}[feedback.deadlines]\n{past}\n{future}\n"))
    assert [course.hints_for(name) for name in ("one", "two", "three")] == ["full", "place", "place"]
    course = load_course(write(f"{COURSE}[feedback]\nhints = 'symptom'\n"))
    assert course.hints_for("one") == "symptom"


def test_no_weaker_jail_than_b_can_be_configured(write):
    assert load_course(write(COURSE)).minimum_isolation == "B"
    assert load_course(write(COURSE + "[jail]\nminimum = 'A'\n")).minimum_isolation == "A"


def test_an_unknown_assignment_is_refused_with_the_known_names(write):
    with pytest.raises(UsageError, match="'three' is not an assignment of this course; it has: one, two"):
        load_course(write(COURSE)).require("three")


def test_the_named_folder_comes_before_the_working_folder(write, monkeypatch):
    here, there = write(COURSE, "here"), write(COURSE, "there")
    monkeypatch.chdir(here)
    assert find_course(there).root == there
    assert find_course().root == here


def test_a_folder_without_a_course_falls_back_on_the_course_shipped_along_not_on_a_parent(write):
    root = write(COURSE)
    inner = root / "submitted"
    inner.mkdir()
    assert find_course(inner).root == Path(config.__file__).resolve().parents[3]


def test_no_course_at_all_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(config, "shipped_course", lambda: None)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"no course found.*headcheck\.toml"):
        find_course()


@pytest.mark.parametrize("folder", ["typo", "."])
def test_a_named_folder_without_a_course_is_said_and_not_replaced_by_another_course(tmp_path, folder):
    with pytest.raises(UsageError, match=r"no course here \(headcheck\.toml is missing\)"):
        course_at(tmp_path / folder)


def test_the_course_at_a_named_folder_is_the_one_in_it(write):
    assert course_at(write(COURSE)).name == "Tiny"


def test_what_submissions_are_likely_to_do_is_seen_from_the_model_answers():
    course = config.course_at(None)
    assert {name: course.likely(name) for name in course.assignments} == {
        "quiz": set(),
        "bug_hunt": set(),  # it draws nothing while it is graded
        "from_scratch": {"drawing"},
        "two_relations": {"drawing"},
        "torch_module": {"drawing"},
        "head_roles": {"training"},
        "head_count": {"training"},
    }


def test_of_an_assignment_that_is_not_built_nothing_is_likely(write):
    assert load_course(write(COURSE)).likely("one") == set()
