"""Late penalties, and several submissions of one student, come out of our steps as nbgrader's own give them."""

import pytest
from nbgrader.converters import Autograde
from nbgrader.coursedir import CourseDirectory
from nbgrader.plugins import LateSubmissionPlugin
from plain_class import PlainClass

pytestmark = pytest.mark.filterwarnings("ignore:Object of type")  # nbgrader's own use of its database

DUE = "2026-02-02 12:00:00 UTC"


class HalfOff(LateSubmissionPlugin):
    """A class's own rule."""

    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return score / 2


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    made = PlainClass(tmp_path_factory.mktemp("late"))
    with made.gradebook() as gradebook:
        gradebook.update_or_create_assignment("hw", duedate=DUE)
    made.config.AssignLatePenalties.plugin_class = HalfOff
    made.api.config = made.config
    return made


def hand_in_at(made, student, moment, **answers):
    path = made.hand_in(student, **answers)
    (path.parent / "timestamp.txt").write_text(moment)


def submission(made, student):
    with made.gradebook() as gradebook:
        found = gradebook.find_submission("hw", student)
        return found.score, found.notebooks[0].late_submission_penalty, found.total_seconds_late


def test_who_is_late_loses_what_the_classs_plugin_says(made):
    hand_in_at(made, "early", "2026-02-02 11:59:59 UTC")
    hand_in_at(made, "late", "2026-02-02 13:00:00 UTC")
    made.done(made.autograde())
    assert submission(made, "early") == (6, None, 0)
    assert submission(made, "late") == (6, 3, 3600)


def test_a_newer_submission_is_graded_anew_and_its_penalty_is_its_own(made):
    hand_in_at(made, "again", "2026-02-02 14:00:00 UTC", double="def double(x):\n    return 0")
    made.done(made.autograde("again"))
    assert submission(made, "again") == (4, 2, 7200)
    hand_in_at(made, "again", "2026-02-02 11:00:00 UTC")
    made.done(made.autograde("again"))
    assert submission(made, "again") == (6, None, 0)


def test_a_submission_of_the_same_moment_is_left_alone_without_force(made):
    hand_in_at(made, "same", "2026-02-02 11:00:00 UTC")
    made.done(made.autograde("same"))
    hand_in_at(made, "same", "2026-02-02 11:00:00 UTC", double="def double(x):\n    return 0")
    made.config.CourseDirectory.assignment_id, made.config.CourseDirectory.student_id = "hw", "same"
    Autograde(coursedir=CourseDirectory(config=made.config), config=made.config).start()
    assert submission(made, "same")[0] == 6
    hand_in_at(made, "same", "2026-02-02 11:30:00 UTC", double="def double(x):\n    return 0")
    Autograde(coursedir=CourseDirectory(config=made.config), config=made.config).start()
    assert submission(made, "same")[0] == 4
