"""Which known mistake gives exactly the values that were seen?"""

import sys
import warnings

import pytest
import torch
from headcheck.course.config import load_course
from headcheck.diagnosis.bank import Mistake
from headcheck.diagnosis.match import Observation, load_bank, matching, same_value
from headcheck.jail.errors import StudentError
from small_course import BANK, lay_out, own_modules

X = torch.tensor([1.0, -2.0, 3.0])
NAN, INF = float("nan"), float("inf")


def mistake(name, *forms, task="t"):
    usual = {task: forms[0]} if forms else {}
    return Mistake(name, name, "Why.", "What?", wrong=usual, also={task: forms[1:]})


def seen(got, *args, **kwargs):
    return Observation(args or (X,), kwargs, got)


def ids(mistakes, failed, calls=()):
    bank = {one.id: one for one in mistakes}
    return [one.id for one in matching(bank, "t", failed, calls)]


SQUARE, NEGATE, SHIFT = (
    mistake("square", lambda x: x * x),
    mistake("negate", lambda x: -x),
    mistake("shift", lambda x: x + 1),
)


def raises(error):
    def wrong(*_args, **_kwargs):
        raise error

    return wrong


def test_the_one_mistake_that_gives_these_values_is_found():
    assert ids([SQUARE, NEGATE, SHIFT], [seen(-X)]) == ["negate"]


def test_values_within_rounding_are_the_same_and_others_are_not():
    assert ids([NEGATE], [seen(-X + 5e-6)]) == ["negate"]
    assert ids([NEGATE], [seen(-X.double())]) == ["negate"]
    assert ids([NEGATE], [seen(-X + 1e-3)]) == []


def test_mistakes_that_give_the_same_are_all_found_in_the_order_of_the_bank():
    ones = torch.ones(3)
    power = mistake("power", lambda x: x**4)
    assert ids([power, NEGATE, SQUARE], [Observation((ones,), {}, ones)]) == ["power", "square"]


def test_none_is_found_when_nothing_fits_or_nothing_failed():
    assert ids([SQUARE, NEGATE], [seen(X + 7)]) == []
    assert ids([SQUARE, NEGATE], []) == []
    assert ids([SQUARE], [], [seen(X * X)]) == []


def test_a_mistake_must_explain_every_failed_call():
    assert ids([NEGATE], [seen(-X), seen(X * X)]) == []


def test_a_mistake_of_another_task_is_not_found():
    assert ids([mistake("negate", lambda x: -x, task="other")], [seen(-X)]) == []


def test_another_form_of_the_same_mistake_counts():
    mask = mistake("mask", lambda x: x.masked_fill(x < 0, -INF), lambda x: x.masked_fill(x < 0, -1e9))
    assert ids([mask], [seen(torch.tensor([1.0, -1e9, 3.0]))]) == ["mask"]
    assert ids([mask], [seen(torch.tensor([1.0, -INF, 3.0]))]) == ["mask"]


def test_one_form_must_explain_all_calls_not_one_form_each():
    two_ways = mistake("two-ways", lambda x: -x, lambda x: x * x)
    assert ids([two_ways], [seen(-X), seen(X * X)]) == []


def test_a_mistake_with_only_other_forms_is_found_too():
    only = Mistake("only", "", "", "", also={"t": [lambda x: -x]})
    assert ids([only], [seen(-X)]) == ["only"]


def test_of_those_that_fit_only_the_one_that_also_predicts_the_passing_calls_is_named():
    both = mistake("both", lambda x: -x if x.sum() > 0 else x)
    right_call = Observation((-X,), {}, -X)
    assert ids([NEGATE, both], [seen(-X)], [right_call]) == ["both"]


def test_a_mistake_that_contradicts_a_passing_call_is_not_named():
    assert ids([NEGATE, SQUARE], [seen(-X)], [seen(X + 7)]) == []


def test_keyword_inputs_are_replayed():
    scaled = mistake("scaled", lambda x, factor=1: x * factor)
    assert ids([scaled], [seen(3 * X, factor=3)]) == ["scaled"]
    assert ids([scaled], [seen(3 * X, factor=2)]) == []


def test_nan_is_a_fingerprint():
    logs = mistake("log", torch.log)
    assert ids([logs], [seen(torch.log(X))]) == ["log"]
    assert ids([logs], [seen(torch.log(X).nan_to_num())]) == []
    assert ids([logs], [seen(torch.full((3,), NAN))]) == []


def test_infinity_with_its_sign_is_a_fingerprint():
    fill = mistake("fill", lambda x: x.masked_fill(x < 0, -INF))
    assert ids([fill], [seen(torch.tensor([1.0, -INF, 3.0]))]) == ["fill"]
    assert ids([fill], [seen(torch.tensor([1.0, INF, 3.0]))]) == []


def test_a_wrong_shape_with_the_same_numbers_is_another_mistake():
    turned = mistake("turned", lambda x: x.t())
    x = torch.ones(2, 3)
    assert ids([turned], [Observation((x,), {}, torch.ones(3, 2))]) == ["turned"]
    assert ids([turned], [Observation((x,), {}, x)]) == []


def test_a_crash_of_the_same_kind_and_words_is_the_same_and_other_sizes_are_another_mistake():
    words = "shape '[2, 3]' is invalid for input of size "
    crash = mistake("crash", raises(RuntimeError(words + "8")))
    assert ids([crash], [seen(StudentError("RuntimeError", words + "8\n"))]) == ["crash"]
    assert ids([crash], [seen(StudentError("RuntimeError", words + "7"))]) == []


@pytest.mark.parametrize(
    "got",
    [
        StudentError("RuntimeError", "something else"),
        StudentError("ValueError", "shape '[2, 3]' is invalid"),
        StudentError("", ""),
        "shape '[2, 3]' is invalid",
        X,
        None,
    ],
)
def test_another_crash_or_a_value_is_not_the_same_crash(got):
    assert ids([mistake("crash", raises(RuntimeError("shape '[2, 3]' is invalid")))], [seen(got)]) == []


def test_a_crash_without_a_text_in_the_bank_fits_every_text_of_that_kind():
    refusal = mistake("refusal", raises(ValueError()))
    assert ids([refusal], [seen(StudentError("ValueError", "my own words"))]) == ["refusal"]
    assert ids([refusal], [seen(StudentError("TypeError", "my own words"))]) == []


def test_a_value_is_not_explained_by_a_mistake_that_crashes_nor_a_crash_by_a_value():
    assert ids([mistake("crash", raises(ValueError()))], [seen(X)]) == []
    assert ids([NEGATE], [seen(StudentError("ValueError", ""))]) == []


def writes_into(tensor):
    tensor.zero_()
    return tensor


@pytest.mark.parametrize(
    ("args", "kwargs", "wrong"),
    [
        ((X.clone(),), {}, writes_into),
        ((), {"x": X.clone()}, lambda x: writes_into(x)),
        (({"w": X.clone()},), {}, lambda state: writes_into(state["w"])),
        (({"w": X.clone()},), {}, lambda state: state.pop("w") * 0),
        (([X.clone()],), {}, lambda tensors: writes_into(tensors[0])),
        (([X.clone()],), {}, lambda tensors: tensors.pop() * 0),
        (((1, [X.clone()]),), {}, lambda pair: writes_into(pair[1][0])),
    ],
)
def test_a_mistake_that_writes_into_its_inputs_does_not_disturb_the_others(args, kwargs, wrong):
    zero = Observation(args, kwargs, torch.zeros(3))
    assert ids([mistake("first", wrong), mistake("second", wrong)], [zero], [zero]) == ["first", "second"]
    leaf = args or tuple(kwargs.values())
    while not isinstance(leaf, torch.Tensor):
        leaf = list(leaf.values())[-1] if isinstance(leaf, dict) else leaf[-1]
    assert torch.equal(leaf, X)


def test_what_a_mistake_prints_and_warns_is_not_seen(capfd, recwarn):
    def noisy(x):
        print("noise")
        warnings.warn("noise", stacklevel=1)
        return -x

    assert ids([mistake("noisy", noisy)], [seen(-X)]) == ["noisy"]
    assert capfd.readouterr().out == ""
    assert len(recwarn) == 0


def test_a_mistake_made_with_parameters_is_compared_by_its_numbers():
    layer = torch.nn.Linear(3, 2)
    assert ids([mistake("layer", layer)], [seen(layer(X).detach())]) == ["layer"]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (X, X.clone()),
        (X, X.double()),
        (torch.tensor([True]), torch.tensor([True])),
        (torch.tensor(NAN), torch.tensor(NAN)),
        ((X, [1, 2.0]), [X, (1, 2)]),
        (1, 1.0),
        (NAN, NAN),
        (INF, INF),
        (True, True),
        ("a", "a"),
        (None, None),
        ({"a": X}, {"a": X.clone()}),
        ({"a": {"b": NAN}}, {"a": {"b": NAN}}),
        ((), []),
    ],
)
def test_the_same_values_are_the_same_in_both_directions(a, b):
    assert same_value(a, b)
    assert same_value(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (X, X + 1),
        (X, X[:2]),
        (X, X.tolist()),
        (torch.tensor(1.0), 1.0),
        (torch.tensor(NAN), torch.tensor(0.0)),
        (1, 2),
        (1, True),
        (0.0, False),
        (NAN, 0.0),
        (INF, -INF),
        (10**1000, 0.5),
        (10**1000, -(10**1000)),
        (1, "1"),
        (0, None),
        ("a", "b"),
        ((1, 2), (1, 2, 3)),
        ((1, 2), (1, 3)),
        ({"a": X}, {"a": X + 1}),
        ({"a": X}, {"b": X}),
        ({"a": X}, {"a": X, "b": X}),
        ({"a": X}, ["a", X]),
        ({}, None),
    ],
)
def test_different_values_differ_in_both_directions(a, b):
    assert same_value(a, b) is False
    assert same_value(b, a) is False


def test_numbers_beyond_every_float_are_no_crash():
    assert same_value(10**1000, 10**1000)


def test_the_bank_of_a_course_is_loaded(tmp_path):
    with own_modules():
        bank = load_bank(lay_out(tmp_path, bank=BANK).course)
        assert list(bank) == ["squared"]
        assert bank["squared"].wrong["double"](torch.tensor(3.0)) == 9


def test_a_course_without_a_bank_knows_no_mistakes(tmp_path):
    with own_modules():
        tiny = lay_out(tmp_path)
        assert load_bank(load_course(tiny.root)) == {}
        assert "solutions.mistakes" not in sys.modules
