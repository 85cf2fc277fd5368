"""The words that hidden graders are written with."""

import pytest
import torch
from headcheck.grading.checks import Mismatch, compare, differences, expect_raises, task
from headcheck.jail.errors import CallTimeout, NotDefined, StudentError

NAN, INF = float("nan"), float("inf")
ONES = torch.ones(2, 3)


def agree(got, expected, **tolerances):
    return differences(got, expected, **tolerances) is None


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        (ONES, ONES),
        (ONES.double(), ONES),
        (ONES.half(), ONES),
        (ONES.long(), ONES),
        (ONES + 5e-6, ONES),
        (torch.tensor([INF, -INF]), torch.tensor([INF, -INF])),
        (torch.tensor([]), torch.tensor([])),
        (torch.tensor([True, False]), torch.tensor([True, False])),
        (0.5, 0.5),
        (0.5 + 5e-6, 0.5),
        (2, 2.0),
        (torch.tensor(0.5), 0.5),
        (torch.tensor(0.5, dtype=torch.float64), 0.5),
        (torch.tensor(7), 7),
        (7.0, 7),
        (torch.tensor(7.0), 7),
        (7, 7),
        (torch.tensor(True), True),
        (False, False),
        ("silent", "silent"),
        (None, None),
        ((ONES, 1), (ONES, 1)),
        ([ONES, 1], (ONES, 1)),
        ((1, (2, 3)), (1, [2, 3])),
        ({"a": ONES, "b": 2}, {"b": 2, "a": ONES.double()}),
    ],
)
def test_values_that_mean_the_same_agree(got, expected):
    assert agree(got, expected)


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        (ONES + 1e-3, ONES),
        (torch.full((2, 3), NAN), ONES),
        (ONES, torch.full((2, 3), NAN)),
        (torch.full((2, 3), NAN), torch.full((2, 3), NAN)),
        (torch.full((2, 3), INF), ONES),
        (ONES, torch.full((2, 3), INF)),
        (torch.full((2, 3), -INF), torch.full((2, 3), INF)),
        (torch.ones(3, 2), ONES),
        (torch.ones(1, 2, 3), ONES),
        (torch.tensor(1.0), ONES),
        (1.0, ONES),
        ([[1.0] * 3] * 2, ONES),
        (None, ONES),
        (torch.tensor([1.0, 0.0]), torch.tensor([True, False])),
        (torch.tensor([1, 0]), torch.tensor([True, False])),
        (torch.tensor([True, False]), torch.tensor([1.0, 0.0])),
        (torch.tensor([True, True]), torch.tensor([True, False])),
        (0.6, 0.5),
        (NAN, 0.5),
        (NAN, NAN),
        (INF, 0.5),
        (True, 1.0),
        ("0.5", 0.5),
        (None, 0.5),
        ([0.5], 0.5),
        (torch.tensor([0.5]), 0.5),
        (torch.tensor(True), 1.0),
        (10**1000, 0.5),
        (-(10**1000), 0.5),
        (8, 7),
        (7.5, 7),
        (True, 1),
        (1, True),
        (torch.tensor(7.5), 7),
        (torch.tensor([7]), 7),
        ("7", 7),
        (10**1000, 7),
        ("loud", "silent"),
        (0, None),
        (ONES, (ONES, 1)),
        ((ONES,), (ONES, 1)),
        ((ONES, 1, 2), (ONES, 1)),
        ((ONES, 2), (ONES, 1)),
        ({"a": ONES}, {"a": ONES, "b": 2}),
        ({"a": ONES, "b": 2, "c": 3}, {"a": ONES, "b": 2}),
        ({"a": ONES + 1}, {"a": ONES}),
        ([("a", ONES)], {"a": ONES}),
    ],
)
def test_values_that_do_not_mean_the_same_differ(got, expected):
    found = differences(got, expected)
    assert isinstance(found, str)
    assert found.strip()


def test_the_tolerances_are_those_that_were_given():
    assert agree(ONES + 0.01, ONES, atol=0.1)
    assert not agree(ONES + 0.01, ONES, atol=0.0, rtol=0.001)
    assert agree(100.5, 100.0, atol=0.0, rtol=0.01)
    assert agree((ONES + 0.01,), (ONES,), atol=0.1)
    assert agree({"a": ONES + 0.01}, {"a": ONES}, atol=0.1)


@pytest.mark.parametrize(
    ("got", "expected", "words"),
    [
        (torch.ones(3, 2), ONES, "the result should have shape (2, 3), not (3, 2)"),
        (torch.full((2, 3), NAN), ONES, "there is NaN in the result"),
        (ONES + torch.eye(2, 3), ONES, "2 of the 6 numbers of the result are wrong; the shape (2, 3) is right"),
        (ONES, ONES.index_fill(1, torch.tensor(0), INF), "2 of the 6 numbers of the result are wrong"),
        (torch.tensor([INF, 2.0]), torch.tensor([INF, 1.0]), "1 of the 2 numbers of the result are wrong"),
        (torch.tensor([1, 0]), torch.tensor([True, False]), "the result should hold bool values, not int64"),
        (None, ONES, "the result should be a tensor, not None"),
        ("half", 0.5, "the result should be a number, not a text"),
        (ONES, 7, "the result should be a whole number, not a tensor of shape (2, 3)"),
        (ONES, (ONES, 1), "the result should be 2 values, not a tensor of shape (2, 3)"),
        ((ONES,), (ONES, 1), "the result should be 2 values, not 1"),
        ((ONES, 2.5), (ONES, 2), "value 2 of the result should be a whole number, not a number"),
        (3.0, 2, "the result should have another value"),
        ((1, (2, NAN)), (1, (2, 3.0)), "there is NaN in value 2 of value 2 of the result"),
        ({"w": NAN}, {"w": 1.0}, "there is NaN in w of the result"),
        ({"secret": 1}, {"w": 1}, "the result should have these keys: w"),
    ],
)
def test_the_sentence_says_what_was_seen(got, expected, words):
    assert words in differences(got, expected)


def test_the_part_is_named_as_the_test_calls_it():
    assert differences(None, ONES, what="the output").startswith("the output should be")


@pytest.mark.parametrize("wrong", [1234.5, 99, "word", None, torch.zeros(2), (0.0,), {"a": 0.0}, [ONES]])
@pytest.mark.parametrize(
    "expected",
    [8765.25, 8765, "8765", torch.tensor([8765.25, 8765.5]), (8765.25,), {"a": 8765.25}, [torch.full((2, 3), 8765.0)]],
)
def test_no_sentence_gives_an_expected_number_away(wrong, expected):
    assert "8765" not in (differences(wrong, expected) or "")


def test_a_shape_chosen_to_carry_a_message_is_not_shown():
    assert "123456" not in differences(torch.zeros(0, 123456), ONES)
    assert "odd shape" in differences(torch.zeros(1, 1, 1, 1, 1, 1, 1), ONES)


class Function:
    """A student's function as the fixture gives it."""

    name = "double"

    def __init__(self, answer):
        self.answer = answer
        self.calls = []

    def __call__(self, *args, **kwargs):
        self.calls.append((args, kwargs))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def reference(x, factor=2):
    return factor * x


def test_compare_calls_both_with_the_same_inputs_and_gives_the_students_value():
    function = Function(3 * ONES.double())
    assert compare(function, reference, ONES, factor=3) is function.answer
    assert function.calls == [((ONES,), {"factor": 3})]


def test_compare_tells_a_wrong_value_with_all_that_diagnosis_needs():
    with pytest.raises(Mismatch) as raised:
        compare(Function(ONES), reference, ONES, factor=3)
    error = raised.value
    assert (error.function, error.inputs, error.named_inputs) == ("double", (ONES,), {"factor": 3})
    assert torch.equal(error.got, ONES)
    assert torch.equal(error.expected, 3 * ONES)
    assert error.fraction == 0.0
    assert error.message.startswith("double: all 6 numbers of the result are wrong")


def test_compare_tells_a_crash_without_the_students_words():
    crash = StudentError("ValueError", "x was 0.1234", cell=2, line=5)
    with pytest.raises(Mismatch) as raised:
        compare(Function(crash), reference, ONES)
    assert raised.value.got is crash
    assert str(raised.value) == "double raised ValueError in line 5 of its cell"


def test_compare_does_not_repeat_the_name_of_an_exception_that_a_student_made_up():
    with pytest.raises(Mismatch) as raised:
        compare(Function(StudentError("x_was_0_1234", "")), reference, ONES)
    assert str(raised.value) == "double raised an exception"


@pytest.mark.parametrize("failure", [CallTimeout("late"), NotDefined("none")])
def test_compare_lets_a_call_without_a_value_pass_on(failure):
    with pytest.raises(type(failure)):
        compare(Function(failure), reference, ONES)


def test_a_reference_that_fails_is_not_the_students_fault():
    def broken(x):
        raise ZeroDivisionError

    function = Function(ONES)
    with pytest.raises(ZeroDivisionError):
        compare(function, broken, ONES)
    assert function.calls == []


@pytest.mark.parametrize("kind", ["ValueError", "AssertionError"])
def test_a_refusal_with_value_error_or_assertion_error_is_accepted(kind):
    expect_raises(Function(StudentError(kind, "no")), 7)


@pytest.mark.parametrize("kind", ["RuntimeError", "IndexError", "valueerror", ""])
def test_another_exception_is_no_refusal(kind):
    with pytest.raises(Mismatch, match="not a ValueError") as raised:
        expect_raises(Function(StudentError(kind, "0.1234")), 7)
    assert "0.1234" not in str(raised.value)


def test_inputs_that_are_accepted_were_not_refused():
    with pytest.raises(Mismatch, match="double accepted inputs that it should refuse with a TypeError") as raised:
        expect_raises(Function(1.0), 7, exceptions=["TypeError"])
    assert raised.value.got == 1.0


def test_task_marks_a_test_with_its_task_and_points():
    @task("double", points=2.5)
    def test():
        pass

    (mark,) = test.pytestmark
    assert (mark.name, mark.kwargs) == ("task", {"name": "double", "points": 2.5, "kept_for": ""})
