"""The points of a plain nbgrader test cell follow from how it ended, never from what it printed."""

import pytest
from headcheck.gradebook.plain.points import partial_credit, points_of
from headcheck.gradebook.plain.run import Outcome
from headcheck.grading.verdict import CellOutput
from hypothesis import given
from hypothesis import strategies as st

SOURCE = "assert True"


def points(fate="ok", source=SOURCE, reason="", **output):
    return points_of(source, 2, Outcome(fate, CellOutput(**output), reason), 30)


def test_a_cell_that_ended_well_gets_full_points_whatever_it_printed():
    assert points() == points(stdout="0", stderr="UserWarning: old")
    assert (points().score, points().reason, points().look) == (2, "", False)


@pytest.mark.parametrize(
    ("fate", "word"),
    [
        ("error", "failed with ValueError: bad"),
        ("timeout", "longer than 30 s"),
        ("died", "ended during this test: memory limit"),
        ("not run", "was not run"),
        ("replaced", "kept this test from running"),
    ],
)
def test_any_other_end_is_worth_nothing_and_says_why(fate, word):
    found = points(fate, reason="memory limit", error_name="ValueError", error_message="bad", result="2")
    assert found.score == 0
    assert word in found.reason


def test_a_cell_that_never_ran_is_worth_nothing():
    assert points_of(SOURCE, 2, None, 30).score == 0


def test_an_empty_test_cell_is_worth_its_points_as_with_nbgrader():
    assert points_of("  \n", 2, None, 30).score == 2


def test_a_cell_of_headchecks_hidden_tests_is_never_given_points_here():
    source = 'from headcheck import grade\ngrade("a")'
    assert points_of(source, 2, Outcome("ok", CellOutput()), 30).score is None


NUMBERS = {
    "1": 1, "0": 0, "2": 2, "0.5": 0.5, ".5": 0.5, "1.": 1, "1e-1": 0.1, " 1.5\n": 1.5, "+1": 1, "-0.0": 0,
    "np.float64(0.5)": 0.5, "np.float32(0.5)": 0.5, "np.int64(1)": 1, "np.uint8(1)": 1, "tensor(0.7500)": 0.75,
    "tensor(1)": 1, "array(0.5)": 0.5, "tensor(0.5, dtype=torch.float64)": 0.5, "True": 2, "np.True_": 2,
    "tensor(True)": 2, "False": 0, "np.False_": 0, "tensor(False)": 0,
}  # fmt: skip


@pytest.mark.parametrize("text", NUMBERS)
def test_one_number_within_the_range_is_a_partial_score_and_a_truth_value_all_or_nothing(text):
    found = partial_credit(text, 2)
    assert (found.score, found.look) == (NUMBERS[text], False)


NO_SCORES = """
nan NaN inf -inf -1 -0.5 2.01 1e9 1e999 tensor(nan) np.float64(nan) np.float64(inf) np.float64(-1.0) np.float64(3)
tensor(-1.) tensor([1.]) tensor(3.) tensor(1.,grad_fn=<X>) array([1,1]) [1] (1,) 1,5 [0.5,0.5] 1+0j
"""


@pytest.mark.parametrize("text", [*NO_SCORES.split(), "tensor([0., 0.])", "tensor(1., grad_fn=<Mul>)", "[1, 2]"])
def test_any_other_number_is_worth_nothing_and_a_person_looks(text):
    found = partial_credit(text, 2)
    assert (found.score, found.look) == (0, True)
    assert text[:20] in found.reason


@pytest.mark.parametrize("text", ["'2'", "'All fine'", "<Axes: >", "two"])
def test_what_is_no_number_at_all_is_worth_full_points_as_with_nbgrader_and_a_person_looks(text):
    found = partial_credit(text, 2)
    assert (found.score, found.look) == (2, True)


@given(st.text(max_size=300))
def test_every_text_gives_points_within_the_range_and_a_short_reason(text):
    found = partial_credit(text, 2)
    assert 0 <= found.score <= 2
    assert len(found.reason) < 250
