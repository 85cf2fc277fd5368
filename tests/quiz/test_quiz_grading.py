"""Grades: states, shares, and what a student is told; in the engine and through the hidden grader."""

import importlib.util
import math
import re
from itertools import combinations
from pathlib import Path

import pytest
import torch
from headcheck.grading.checks import WrongAnswer
from headcheck.jail.errors import NotDefined, Unsendable
from headcheck.quiz.grading import grade

from assignments.quiz.bank import BANK, LESSON

ROOT = Path(__file__).resolve().parents[2]


def graded(name, value):
    return grade(BANK[name], BANK[name].lesson, value)


@pytest.mark.parametrize("name", BANK)
@pytest.mark.parametrize("value", [None, "", "   "])
def test_nothing_is_not_attempted(name, value):
    assert graded(name, value).state == "not_attempted"


@pytest.mark.parametrize("name", [name for name, question in BANK.items() if hasattr(question.kind, "parts")])
def test_parts_that_are_all_open_are_not_attempted(name):
    assert graded(name, (None,) * len(BANK[name].kind.parts)).state == "not_attempted"


@pytest.mark.parametrize("name", BANK)
@pytest.mark.parametrize("value", [True, math.nan, {}, "?", object(), 10**400, torch.zeros(4, 8, 10, 8)])
def test_an_unreadable_answer_is_malformed_and_never_wrong(name, value):
    found = graded(name, value)
    assert found.state == "malformed"
    assert found.fraction == 0
    assert found.mistakes == ()
    assert "could not be read" in found.message
    assert "not right" not in found.message


def test_swapped_axes_earn_half_and_the_axes_are_named():
    found = graded("q02", (4, 10, 8, 8))
    assert (found.fraction, found.state) == (0.5, "partial")
    assert found.mistakes == ("attends-over-heads",)
    assert "(B, n, h, d_k)" in found.message


def test_swapped_axes_that_have_no_other_name_are_called_so():
    assert graded("q02", (10, 4, 8, 8)).mistakes == ("axes-swapped",)


def test_another_number_of_axes_than_was_told_is_malformed_unless_it_has_a_name():
    assert graded("q02", (4, 8, 10)).state == "malformed"
    assert graded("q02", (4, 10, 64)).mistakes == ("heads-not-split",)


def test_another_number_of_axes_is_wrong_where_the_number_was_asked():
    assert graded("q03", (4, 8, 10)).state == "incorrect"


def test_one_value_with_two_explanations_is_told_both():
    found = graded("q07", 8)
    assert found.mistakes == ("scale-sqrt-d-model", "scale-twice")
    assert "More than one mistake" in found.message


@pytest.mark.parametrize(
    ("name", "value", "fraction", "state"),
    [
        ("q06", ((4, 10, 10), "a"), 0.5, "partial"),
        ("q06", ((10, 4, 10), "c"), 0.75, "partial"),
        ("q06", ((4, 8, 10, 10), "a"), 0.0, "incorrect"),
        ("q06", ((4, 10, 10), None), 0.5, "partial"),
        ("q06", ((4, 10, 10), "mean"), 0.5, "malformed"),
        ("q04", 16640, 0.0, "malformed"),
        ("q08", ("1", "8x"), 1.0, "correct"),
        ("q10", [(2, 5, 64), torch.Size([2, 5, 9]), "2x8x5x9"], 1.0, "correct"),
        ("q11", "b, d", 1.0, "correct"),
        ("q12", ["A)", "b)"], 0.5, "partial"),
    ],
)
def test_parts_are_graded_one_by_one(name, value, fraction, state):
    found = graded(name, value)
    assert (found.fraction, found.state) == (fraction, state)


@pytest.mark.parametrize(
    ("value", "fraction", "mistakes"),
    [
        ("a, c, e", 1.0, ()),
        (["E", "a)", "c"], 1.0, ()),
        ({"a", "c", "e"}, 1.0, ()),
        ("ace", 1.0, ()),
        ("a, c", 0.6, ("output-weight",)),
        ("a, c, e, b", 0.6, ("copy-needs-in-proj-weight",)),
        ("a", 0.2, ("packed-bias", "output-weight")),
        ("a, b, c, d, e", 0.2, ("copy-needs-in-proj-weight", "bias-split-too")),
        ("b, d", 0.0, None),
    ],
)
def test_several_choices_are_judged_option_by_option(value, fraction, mistakes):
    found = graded("q17", value)
    assert found.fraction == pytest.approx(fraction)
    assert mistakes is None or found.mistakes == mistakes
    assert found.state == ("correct" if fraction == 1 else "partial" if fraction else "incorrect")


def test_guessing_several_choices_earns_nothing_on_average():
    guesses = [guess for size in range(1, 6) for guess in combinations("abcde", size)]
    shares = [graded("q17", guess).fraction for guess in guesses]
    assert sum(shares) / len(shares) < 0.25


def test_the_message_about_parts_says_which_part_is_off():
    assert "Part 1: Right." in graded("q06", ((4, 10, 10), "a")).message
    assert "Part 2: Option a is not right." in graded("q06", ((4, 10, 10), "a")).message


class FakeStudent:
    def __init__(self, value):
        self.given = value

    def value(self, name):
        if isinstance(self.given, Exception):
            raise self.given
        return self.given


def hidden_tests():
    path = ROOT / "autograder" / "hidden" / "test_quiz.py"
    spec = importlib.util.spec_from_file_location("hidden_test_quiz", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    tests = {name: test for name, test in vars(module).items() if name.startswith("test_")}
    return {mark.kwargs["name"]: (test, mark.kwargs["points"]) for test in tests.values() for mark in test.pytestmark}


HIDDEN = hidden_tests()


def refused(name, value):
    with pytest.raises(WrongAnswer) as error:
        HIDDEN[name][0](FakeStudent(value))
    return error.value


def test_every_question_of_the_lesson_has_one_hidden_test():
    assert list(HIDDEN) == list(LESSON)


@pytest.mark.parametrize("name", LESSON)
def test_the_hidden_grader_passes_the_right_answer(name):
    HIDDEN[name][0](FakeStudent(BANK[name].written_answer(BANK[name].lesson)))


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        pytest.param(name, wrong, id=f"{name}-{wrong.part}-{wrong.id}")
        for name, q in LESSON.items()
        for wrong in q.wrong
    ],
)
def test_the_hidden_grader_names_each_wrong_answer(name, wrong):
    error = refused(name, BANK[name].written_wrong(wrong, BANK[name].lesson))
    assert wrong.id in error.mistakes
    assert 0 <= error.fraction < 1
    assert error.state is None


@pytest.mark.parametrize("name", LESSON)
def test_the_hidden_grader_tells_open_and_unreadable_answers_from_wrong_ones(name):
    assert refused(name, None).state == "not_attempted"
    assert refused(name, {}).state == "malformed"
    assert refused(name, Unsendable("type", "Model")).state == "malformed"


def test_a_variable_that_is_gone_is_left_to_the_grading():
    with pytest.raises(NotDefined):
        HIDDEN["q01"][0](FakeStudent(NotDefined("q01")))


def test_points_in_the_notebook_and_in_the_hidden_grader_agree():
    text = (ROOT / "assignments" / "quiz" / "quiz.py").read_text(encoding="utf-8")
    marked = re.findall(r"^# %% (question|manual) (\w+) (?:\[markdown\] )?points=(\d+)$", text, re.MULTILINE)
    announced = {name: int(points) for kind, name, points in marked if kind == "question"}
    assert announced == {name: points for name, (_test, points) in HIDDEN.items()}
    assert f"{sum(int(points) for _kind, _name, points in marked)} points" in text.replace("\n# ", " ")
