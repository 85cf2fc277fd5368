"""How much a student is told is set in headcheck.toml, changes at the deadline, and can be set for one run."""

from datetime import datetime, timedelta

import pytest
from headcheck.course.config import HINTS_VARIABLE, load_course
from headcheck.errors import UsageError


@pytest.fixture
def course(tmp_path, monkeypatch):
    monkeypatch.delenv(HINTS_VARIABLE, raising=False)

    def make(feedback):
        (tmp_path / "headcheck.toml").write_text(f'[course]\nassignments = ["a", "b"]\n{feedback}\n')
        return load_course(tmp_path)

    return make


def test_place_is_the_default(course):
    assert course("").hints_for("a") == "place"


@pytest.mark.parametrize("level", ["symptom", "place", "full"])
def test_a_level_can_be_chosen(course, level):
    assert course(f'[feedback]\nhints = "{level}"').hints_for("a") == level


def test_after_the_deadline_everything_is_told(course):
    past, future = (datetime.now() + timedelta(days=days) for days in (-1, 1))
    stamps = [moment.isoformat(timespec="seconds") for moment in (past, future)]
    made = course(f'[feedback]\nhints = "symptom"\n[feedback.deadlines]\na = {stamps[0]}\nb = {stamps[1]}')
    assert (made.hints_for("a"), made.hints_for("b")) == ("full", "symptom")


def test_one_run_can_be_told_otherwise(course, monkeypatch):
    monkeypatch.setenv(HINTS_VARIABLE, "full")
    assert course('[feedback]\nhints = "symptom"').hints_for("a") == "full"


@pytest.mark.parametrize("text", ['hints = "all"', 'hint = "full"', "deadlines = 3", 'deadlines = {a = "soon"}'])
def test_what_cannot_be_understood_is_an_error(course, text):
    with pytest.raises(UsageError, match="feedback"):
        course(f"[feedback]\n{text}")
