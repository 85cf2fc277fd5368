"""Wrong choices are found from values, alone and in pairs; the engine knows only stages, so numbers will do."""

import pytest
import torch
from headcheck.diagnosis.bank import Crash, Mistake
from headcheck.diagnosis.explain import Call, Explainer, minimal
from headcheck.diagnosis.stages import Check, Pipeline, Right, elements_of, merged, with_forms
from headcheck.diagnosis.values import quick_same
from headcheck.jail.errors import StudentError


def start(x, flag=False):
    return {"x": x, "flag": flag}


def double(c):
    return {"y": c["x"] * 2}


def clip(c):
    return {"y": c["y"].clamp(max=3)} if c["flag"] else {}


def pack(c):
    return {"result": (c["y"] + 1, c["y"])}


def seen_part(got):
    return got[1] if isinstance(got, tuple) and len(got) == 2 else None


PIPELINE = Pipeline(
    start,
    {"double": double, "clip": clip, "pack": pack},
    lambda c: c["result"],
    [Check("clip", lambda c: c["y"], seen_part, packed_by="pack")],
    {"clip": [Right(lambda c: {"y": c["y"].clamp(max=4)} if c["flag"] else {}, lambda got: got == "never")]},
)


def mistake(name, **parts):
    return Mistake(name, name, "Why.", "What?", **parts)


def no_such(c):
    raise RuntimeError("size 5 does not fit size 7")


BANK = {
    m.id: m
    for m in (
        mistake("triple", choices=[{"double": lambda c: {"y": c["x"] * 3}}]),
        mistake("square", choices=[{"double": lambda c: {"y": c["x"] ** 2}}]),
        mistake("no-clip", choices=[{"clip": lambda c: {}}]),
        mistake("clip-ignored", choices=[{"clip": lambda c: {}}]),
        mistake("clip-low", choices=[{"clip": lambda c: {"y": c["y"].clamp(max=1)} if c["flag"] else {}}]),
        mistake("no-plus", choices=[{"pack": lambda c: {"result": (c["y"], c["y"])}}]),
        mistake("alone", choices=[{"pack": lambda c: {"result": c["y"] + 1}}]),
        mistake(
            "crash",
            choices=[{"clip": lambda c: no_such(c) if c["flag"] else {}}],
            crashes=[Crash("AttributeError", "no attribute")],
        ),
    )
}
EXPLAINER = Explainer(PIPELINE, elements_of("t", PIPELINE, BANK), quick_same)
X = torch.tensor([0.5, 1.0, 3.0, -2.0])


def calls(*names):
    choice = merged(tuple(e for e in elements_of("t", PIPELINE, BANK) if e.mistake.id in names))
    found = []
    for args in ((X, False), (X + 0.1, True)):
        try:
            got = PIPELINE.run(choice, *args)
        except RuntimeError as error:
            got = StudentError("RuntimeError", str(error))
        found.append(Call(args, got))
    return found


def names(seen):
    return [sorted(element.mistake.id for element in way) for way in EXPLAINER.explain(seen)]


def test_a_right_result_has_no_explanation():
    assert names(calls()) == []


@pytest.mark.parametrize("name", ["triple", "square", "clip-low", "no-plus", "alone", "crash"])
def test_a_single_mistake_is_found(name):
    assert names(calls(name)) == [[name]]


def test_two_that_cannot_be_told_apart_are_both_named():
    assert names(calls("no-clip")) == [["no-clip"], ["clip-ignored"]]


@pytest.mark.parametrize(
    "pair", [("clip-low", "triple"), ("no-plus", "square"), ("alone", "square"), ("clip-low", "no-plus")]
)
def test_two_at_different_stages_are_found(pair):
    assert sorted(pair) in names(calls(*pair))


def test_a_mistake_and_a_crash_are_found_together():
    assert names(calls("triple", "crash")) == [["crash", "triple"]]


def test_a_result_in_no_list_has_no_explanation():
    assert names([Call((X, False), (X + 17.0, X - 4.0))]) == []


def test_one_wrong_call_that_fits_is_not_enough_when_another_does_not():
    first, _second = calls("triple")
    assert names([first, Call((X, True), (X, X))]) == []


def test_a_crash_in_other_words_is_no_evidence_by_itself():
    right = calls()[0]
    assert names([right, Call((X, True), StudentError("RuntimeError", "something else"))]) == []
    assert names([right, Call((X, True), StudentError("AttributeError", "has no attribute q"))]) == [["crash"]]


def test_a_part_on_a_path_of_its_own_is_explained_alone():
    found = [Call(call.args, (PIPELINE.run({}, *call.args)[0], call.got[1])) for call in calls("square")]
    assert names(found) == [["square"]]


def test_a_longer_way_that_contains_a_shorter_one_is_left_out():
    a, b, c = elements_of("t", PIPELINE, BANK)[:3]
    assert minimal([(a, b), (b,), (b, c), (a, c), (c, a)]) == [(b,), (a, c)]


def test_forms_are_made_for_every_task_that_has_the_stages():
    other = Pipeline(start, {"double": double}, lambda c: c["y"])
    made = with_forms(BANK["triple"], {"t": PIPELINE, "u": other})
    assert set(made.wrong) == {"t", "u"}
    assert torch.equal(made.wrong["u"](X), 3 * X)
    assert set(with_forms(BANK["no-plus"], {"t": PIPELINE, "u": other}).wrong) == {"t"}
