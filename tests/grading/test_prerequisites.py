"""A task that builds on a wrong one says so and does not repeat it."""

from types import SimpleNamespace

import pytest
from headcheck.grading.prerequisites import depending
from headcheck.grading.verdict import TaskVerdict

NEEDS = {"whole": ("part",)}


def submission(source):
    return SimpleNamespace(cells=[SimpleNamespace(kind="solution", id="whole", source=source)])


def whole_after(part_state, source="def whole(x): return part(x)", mistakes=("m",), part_mistakes=("m",)):
    part = TaskVerdict("part", 0, 1, part_state, "Part is wrong.", part_mistakes)
    whole = TaskVerdict("whole", 0, 1, "incorrect", "Whole is wrong.", mistakes)
    return depending([part, whole], NEEDS, submission(source))[1]


def test_the_same_mistake_is_not_told_twice():
    found = whole_after("incorrect")
    assert found.message == "This task uses part, which is not right yet: mend that first."
    assert found.details == ("Whole is wrong.",)
    assert found.mistakes == ("m",)


@pytest.mark.parametrize("mistakes", [(), ("other",), ("m", "other")])
def test_another_mistake_is_told_after_the_hint(mistakes):
    message = whole_after("partial", mistakes=mistakes).message
    assert message.startswith("This task uses part")
    assert message.endswith("Whole is wrong.")


@pytest.mark.parametrize(
    ("state", "source"),
    [("correct", "part(x)"), ("incorrect", "return x"), ("incorrect", "apart(x)"), ("incorrect", "# part is wrong")],
)
def test_nothing_is_said_of_a_part_that_is_right_or_not_used(state, source):
    assert whole_after(state, source).message == "Whole is wrong."


def test_points_and_states_stay():
    right = TaskVerdict("whole", 1, 1, "correct", "Everything is right.")
    part = TaskVerdict("part", 0, 1, "incorrect", "Part is wrong.")
    assert depending([part, right], NEEDS, submission("part(x)")) == (part, right)
