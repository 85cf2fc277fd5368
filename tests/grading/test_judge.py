"""From outcomes of hidden tests to points, state and one message."""

import math

import pytest
import torch
from headcheck.course.assignment import Task
from headcheck.course.submission import Submission
from headcheck.diagnosis.bank import Mistake
from headcheck.diagnosis.match import Observation
from headcheck.grading.checks import Mismatch, WrongAnswer
from headcheck.grading.judge import judge_task
from headcheck.grading.session import HiddenTest, Outcome
from headcheck.jail.errors import CallTimeout, ChildDied, NotDefined, StudentError, Unsendable

TASK = Task("a", 4, False)
WORKED = Submission(())
UNTOUCHED = Submission((), unchanged=frozenset({"a"}))
GONE = Submission((), missing=frozenset({"a"}))
INPUT = torch.tensor([1.0, 2.0, 3.0])


def outcomes(*errors, points=2):
    return [Outcome(HiddenTest("a", points, f"test_{i}"), error) for i, error in enumerate(errors)]


def judge(*errors, submission=WORKED, bank=None, points=2, task=TASK):
    return judge_task(task, outcomes(*errors, points=points), submission, bank or {})


def mismatch(got, **more):
    return Mismatch("a: wrong numbers", function="a", inputs=(INPUT,), got=got, expected=2 * INPUT, **more)


def test_all_passed_is_correct_with_full_points():
    found = judge(None, None)
    assert (found.score, found.max_score, found.state, found.mistakes) == (4, 4, "correct", ())


def test_some_passed_is_partial_with_their_points():
    found = judge(None, WrongAnswer("No."))
    assert (found.score, found.state, found.message) == (2, "partial", "No.")


def test_none_passed_is_incorrect_with_nothing():
    found = judge(WrongAnswer("No"), WrongAnswer("Not this either"))
    assert (found.score, found.state) == (0, "incorrect")
    assert found.message == "No."
    assert found.details == ("Not this either.",)


def test_the_same_message_is_not_told_twice():
    assert judge(WrongAnswer("No"), WrongAnswer("No")).details == ()


@pytest.mark.parametrize(
    ("fraction", "score", "state"),
    [
        (0.5, 1, "partial"),
        (torch.tensor(0.5), 1, "partial"),
        (0, 0, "incorrect"),
        (-1, 0, "incorrect"),
        (-math.inf, 0, "incorrect"),
        (math.nan, 0, "incorrect"),
        (torch.tensor(math.nan), 0, "incorrect"),
        (7, 2, "partial"),
        (math.inf, 2, "partial"),
    ],
)
def test_a_fraction_earns_its_share_and_never_more_than_the_test_is_worth(fraction, score, state):
    found = judge(WrongAnswer("No", fraction=fraction), WrongAnswer("No"))
    assert (found.score, found.state) == (score, state)


def test_a_full_fraction_of_a_failed_test_is_not_called_correct():
    assert judge(WrongAnswer("Right, but late", fraction=1.0), None).state == "partial"


@pytest.mark.parametrize(
    "failure",
    [StudentError("ValueError", "words"), NotDefined("a"), ChildDied("memory limit"), Unsendable("type", "Module")],
)
def test_a_call_that_gave_no_value_earns_nothing_and_is_an_error(failure):
    found = judge(failure, failure)
    assert (found.score, found.state) == (0, "error")


def test_a_crash_that_a_comparison_met_is_an_error():
    assert judge(mismatch(StudentError("ValueError", "")), WrongAnswer("No")).state == "error"


def test_a_timeout_is_told_before_other_errors():
    found = judge(ChildDied("exited"), CallTimeout("it took longer than 5 s"))
    assert (found.score, found.state) == (0, "timeout")


def test_a_timeout_beside_a_passed_test_is_said_and_keeps_the_points():
    found = judge(None, CallTimeout("it took longer than 5 s"))
    assert (found.score, found.state) == (2, "timeout")


@pytest.mark.parametrize("error", [ZeroDivisionError("1 / 0"), RuntimeError("hidden"), SystemExit(0), MemoryError()])
def test_a_hidden_test_that_breaks_gives_no_points_and_says_so_without_its_text(error):
    found = judge(error, error)
    assert found.score == 0
    assert found.state == "incorrect"
    assert type(error).__name__ in found.message
    assert "please tell your instructor" in found.message
    assert "hidden" not in found.message.replace("hidden test", "")


def test_a_skipped_hidden_test_gives_no_points():
    with pytest.raises(pytest.skip.Exception) as skipped:
        pytest.skip("not today")
    found = judge(None, skipped.value)
    assert (found.score, found.state) == (2, "partial")
    assert "Skipped" in found.message


def test_a_plain_assert_of_a_hidden_test_does_not_show_its_text():
    found = judge(AssertionError("x[0] should be 8765"))
    assert (found.score, found.message) == (0, "A hidden test failed.")


@pytest.mark.parametrize(
    ("submission", "words"),
    [(UNTOUCHED, "This cell is as you got it."), (GONE, "The cell a is missing from the notebook.")],
)
def test_an_answer_that_was_not_written_earns_nothing_even_if_a_test_passes_by_chance(submission, words):
    found = judge(None, WrongAnswer("No"), submission=submission)
    assert (found.score, found.state) == (0, "not_attempted")
    assert found.message == f"{words} No."


def test_an_answer_that_all_tests_accept_is_correct_wherever_it_stands():
    assert judge(None, None, submission=GONE).state == "correct"


def test_what_the_tests_themselves_call_unanswered_is_not_attempted():
    found = judge(*[WrongAnswer("Not answered yet", state="not_attempted")] * 2)
    assert (found.state, found.message) == ("not_attempted", "Not answered yet.")


def test_an_answer_that_could_not_be_read_is_an_error():
    assert judge(WrongAnswer("Could not be read", state="malformed")).state == "error"


@pytest.mark.parametrize(
    ("submission", "state"), [(WORKED, "manual"), (UNTOUCHED, "not_attempted"), (GONE, "not_attempted")]
)
def test_a_manual_task_waits_for_a_person_when_there_is_an_answer(submission, state):
    found = judge_task(Task("a", 4, True), [], submission, {})
    assert (found.score, found.max_score, found.state) == (0, 4, state)


def mistake(name, wrong):
    return Mistake(name, f"{name} it", f"Why {name}.", f"What of {name}?", wrong={"a": wrong})


BANK = {
    m.id: m for m in (mistake("square", lambda x: x * x), mistake("power", lambda x: x**2), mistake("half", torch.neg))
}


def test_the_mistake_that_gives_these_values_is_named_and_explained():
    found = judge(mismatch(-INPUT), WrongAnswer("Sign"), bank=BANK)
    assert found.mistakes == ("half",)
    assert found.message.split("\n") == ["a: wrong numbers.", "The mistake: half it.", "Why half.", "What of half?"]


def test_mistakes_that_cannot_be_told_apart_are_all_named():
    found = judge(mismatch(INPUT**2), bank=BANK)
    assert found.mistakes == ("square", "power")
    assert found.message.endswith("Either square it, or power it; these inputs cannot tell them apart.")


def test_a_value_that_no_known_mistake_gives_names_none():
    found = judge(mismatch(INPUT + 7), bank=BANK)
    assert (found.mistakes, found.message) == ((), "a: wrong numbers.")


def test_mistakes_that_a_check_names_itself_stand_beside_those_of_the_bank_once_each():
    found = judge(mismatch(-INPUT), WrongAnswer("No", mistakes=["half", "other"]), bank=BANK)
    assert found.mistakes == ("half", "other")


def test_the_message_that_diagnosis_speaks_about_stands_first():
    found = judge(WrongAnswer("Symptom"), mismatch(-INPUT), bank=BANK)
    assert found.message.startswith("a: wrong numbers.\nThe mistake: half it.")
    assert found.details == ("Symptom.",)


def test_calls_that_came_out_right_help_to_tell_mistakes_apart():
    bank = {m.id: m for m in (mistake("cut", lambda x: x[:1]), mistake("drop", lambda x: x[: len(x) - 2]))}
    right = Outcome(HiddenTest("a", 2, "test_0"), None, (Observation((torch.ones(2),), {}, torch.ones(1)),))
    wrong = Outcome(HiddenTest("a", 2, "test_1"), mismatch(INPUT[:1]))
    assert judge_task(TASK, [wrong], WORKED, bank).mistakes == ("cut", "drop")
    assert judge_task(TASK, [right, wrong], WORKED, bank).mistakes == ("cut",)


@pytest.mark.parametrize("got", [10**1000, {"a": INPUT}, "text", None, [INPUT], math.nan])
def test_no_value_of_a_student_can_stop_the_diagnosis(got):
    bank = {m.id: m for m in (mistake("float", lambda x: 0.5), mistake("dict", lambda x: {"a": 2 * x}))}
    found = judge(mismatch(got), bank=bank)
    assert (found.score, found.mistakes) == (0, ())
