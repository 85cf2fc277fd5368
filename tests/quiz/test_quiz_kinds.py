"""Comparing answers: full, half and no credit, and what the form checks of the notebook accept."""

import math

import pytest
from headcheck.quiz.kinds import Choice, Choices, Integer, Number, Parts, Shape

SPLIT = Shape(("B", "h", "n", "d_k"), tell_length=True)


@pytest.mark.parametrize("given", [2.83, 2.828, 2.8284, math.sqrt(8), 2.825, 2.833])
def test_a_number_is_right_when_it_is_right_to_two_decimals(given):
    assert Number().judge(math.sqrt(8), given).fraction == 1


@pytest.mark.parametrize("given", [2.8, 2.82, 2.84, 8, -2.83, 0.354])
def test_a_number_that_is_off_in_the_second_decimal_is_wrong(given):
    assert Number().judge(math.sqrt(8), given).fraction == 0


def test_an_integer_is_right_only_exactly():
    assert Integer().judge(16640, 16640).fraction == 1
    assert Integer().judge(16640, 16641).fraction == 0


def test_a_shape_in_another_order_earns_half_and_names_the_axes():
    judged = SPLIT.judge((4, 8, 10, 16), (4, 10, 8, 16))
    assert judged.fraction == 0.5
    assert judged.mistake == "axes-swapped"
    assert "(B, n, h, d_k)" in judged.remark
    assert "axes 1 and 2" in judged.remark


def test_axes_of_equal_size_are_named_in_their_usual_order():
    weights = Shape(("B", "h", "n_q", "n_k"))
    assert "(B, n_q, n_k, h)" in weights.judge((4, 8, 10, 10), (4, 10, 10, 8)).remark


def test_a_shape_with_wrong_sizes_is_told_which_axes_and_no_number_more():
    remark = SPLIT.judge((4, 8, 10, 16), (4, 8, 11, 17)).remark
    assert "Axes 2 and 3" in remark
    assert "10" not in remark
    assert "16" not in remark


def test_a_shape_with_another_number_of_axes_is_told_its_own_number_only():
    remark = SPLIT.judge((4, 8, 10, 16), (4, 10, 128)).remark
    assert "3" in remark
    assert "4" not in remark


def test_parts_share_the_points_equally():
    kind = Parts({"a": Integer(), "b": SPLIT})
    assert kind.judge((1, (4, 8, 10, 16)), (1, (4, 10, 8, 16))).fraction == 0.75


def test_a_choice_keeps_its_keys_when_its_letters_change():
    choice = Choice(("x", "y", "z"), "part")
    turned = choice.arranged({"part": ["z", "x", "y"]})
    assert choice.write("z") == "c"
    assert turned.write("z") == "a"
    assert turned.parse("A)") == "z"


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (Integer(), [8, 8.0], [True, 8.5, "8", (8,), [], {}]),
        (Number(), [8, 2.83], [True, "x", (2.8,), [], {}]),
        (SPLIT, [(4, 8, 10, 8), [4, 8, 10, 8]], [(4, 8, 10), 8, "4x8", (4, 8, 10, "n"), {}]),
        (Shape(("B", "n")), [(4, 8), (4, 8, 10)], [(), 8, (4, -8), {}]),
        (Choice(("x", "y")), ["a", "B)", "(b)"], ["c", 1, None, ("a",), {}]),
        (
            Choices(("x", "y", "z")),
            ["a", "a, c", "AC", "(a) (b)", ["a", "c"], {"b"}],
            ["d", "a, d", 1, None, (), [1], "a-c", {}, [[]], (None, None)],
        ),
        (Parts({"a": Integer(), "b": Choice(("x", "y"), "b")}), [(8, "a")], [8, (8,), (8, "c"), ("a", 8), {}]),
    ],
)
def test_the_form_check_of_the_notebook_tells_forms_apart(kind, good, bad):
    for value in good:
        assert eval(f"({kind.fits('value')})", {"value": value}) is True
    for value in bad:
        assert eval(f"({kind.fits('value')})", {"value": value}) is False


CHOICES = Choices(("v", "w", "x", "y"))


@pytest.mark.parametrize(
    ("given", "fraction"),
    [({"v", "w"}, 1.0), ({"v"}, 0.5), ({"v", "w", "x"}, 0.5), ({"v", "x"}, 0.0), ({"x", "y"}, 0.0), (set("vwxy"), 0.0)],
)
def test_several_choices_lose_as_much_for_too_many_as_for_too_few(given, fraction):
    judged = CHOICES.judge(("v", "w"), frozenset(given))
    assert judged.fraction == fraction
    assert (judged.remark == "") == (fraction == 1)


def test_an_option_of_several_can_be_wrong_both_ways():
    assert CHOICES.shows(("v", "w"), "x", {"v", "w", "x"})
    assert CHOICES.shows(("v", "w"), "w", {"v"})
    assert not CHOICES.shows(("v", "w"), "w", {"v", "w"})
    assert CHOICES.mistaken(("v", "w"), "x") == {"v", "w", "x"}
    assert CHOICES.mistaken(("v", "w"), "w") == {"v"}


def test_several_choices_keep_their_keys_when_their_letters_change():
    turned = CHOICES.arranged({"": ["y", "x", "w", "v"]})
    assert turned.write(("v", "w")) == "c, d"
    assert turned.parse("D c") == {"v", "w"}
