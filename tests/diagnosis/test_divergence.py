"""The first stage that differs, and its line, are found from the steps of a call."""

import torch
from headcheck.diagnosis.bank import Mistake
from headcheck.diagnosis.divergence import Place, find_place
from headcheck.diagnosis.stages import Element, Pipeline
from headcheck.jail.errors import StudentError
from headcheck.jail.remote import Step

X = torch.tensor([0.5, 1.5, 3.0])
PIPELINE = Pipeline(
    lambda x: {"x": x},
    {"add": lambda c: {"a": c["x"] + 1}, "double": lambda c: {"b": c["a"] * 2}, "end": lambda c: {"c": c["b"].exp()}},
    lambda c: c["c"],
)


def element(**choice):
    return Element(Mistake("m", "m", "e", "q?"), choice)


def step(line, tensor):
    return Step("f", 4, line, (tensor,))


RIGHT = [step(1, X + 1), step(2, (X + 1) * 2), step(3, ((X + 1) * 2).exp())]
TRIPLE = element(double=lambda c: {"b": c["a"] * 3})
TRIPLED = [RIGHT[0], step(2, (X + 1) * 3), step(3, ((X + 1) * 3).exp())]


def place(elements, steps, got=None):
    return find_place(PIPELINE, (X,), got, elements, steps)


def test_the_line_of_the_wrong_step_is_found():
    assert place((TRIPLE,), TRIPLED) == Place("double", 4, 2)


def test_without_steps_the_stage_is_known():
    assert place((TRIPLE,), []) == Place("double")


def test_a_step_that_is_left_out_is_found_at_the_next_wrong_one():
    missing = element(double=lambda c: {"b": c["a"]})
    assert place((missing,), [RIGHT[0], step(7, (X + 1).exp())]) == Place("double", 4, 7)


def test_a_result_that_was_made_and_thrown_away_is_found():
    missing = element(double=lambda c: {"b": c["a"]})
    steps = [RIGHT[0], step(5, (X + 1) * 2), step(7, (X + 1).exp())]
    assert place((missing,), steps) == Place("double", 4, 5)


def test_numbers_in_another_layout_are_recognised():
    steps = [RIGHT[0], step(2, ((X + 1) * 3).flip(0).reshape(3, 1)), TRIPLED[2]]
    assert place((TRIPLE,), steps) == Place("double", 4, 2)


def test_a_crash_is_where_the_exception_says():
    def fail(c):
        raise RuntimeError

    got = StudentError("RuntimeError", "", cell=2, line=9)
    assert place((element(double=fail),), RIGHT[:1], got) == Place("double", 2, 9)


def test_an_unknown_mistake_is_after_the_last_right_step():
    assert place((), [*RIGHT[:2], step(8, X * 17)]) == Place("end", 4, 8)
    assert place((), [step(3, X * 17)]) == Place("add", 4, 3)
    assert place((), []) is None


def test_forged_steps_do_no_harm():
    odd = [Step("f", None, None, ()), step(1, torch.tensor([True])), step(2, torch.tensor(float("nan")))]
    assert place((TRIPLE,), odd) is not None
    assert place((), odd) is not None
