"""The bank of known mistakes is complete in its words and its signatures."""

import inspect
import re
from pathlib import Path

import pytest
import torch
from headcheck.grading.draw import Draw

from solutions import bug_hunt, experiments, from_scratch, torch_module, two_relations
from solutions.inputs import attention_state
from solutions.mistakes import BANK, INSEPARABLE, LESSONS, PIPELINES, STAGES, pieces

MISTAKES = list(BANK.values())
ROOT = Path(__file__).parents[2]


def signature_of(task):
    modules = (from_scratch, bug_hunt, two_relations, torch_module, experiments)
    reference = next(getattr(module, task) for module in modules if hasattr(module, task))
    return list(inspect.signature(reference).parameters)


def test_no_id_stands_twice():
    assert len(BANK) == sum(len(stage.MISTAKES) for stage in (*STAGES, *LESSONS))


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: m.id)
def test_a_mistake_has_all_its_words(mistake):
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", mistake.id)
    assert BANK[mistake.id] is mistake
    assert mistake.question.endswith("?")
    assert mistake.explanation.endswith(".")
    assert mistake.symptom.endswith(".")
    assert mistake.see.endswith((".", "?"))
    assert not mistake.name.endswith(".")
    assert mistake.source.startswith(("https://", "public code: ")) or not mistake.source


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: m.id)
def test_a_mistake_can_be_made_somewhere_with_the_signature_of_the_task(mistake):
    assert mistake.wrong or mistake.probe
    assert set(mistake.also) <= set(mistake.wrong)
    for task in mistake.wrong:
        for form in mistake.forms(task):
            assert len(inspect.signature(form).parameters) == len(signature_of(task))


@pytest.mark.parametrize("mistake", [m for m in MISTAKES if not m.wrong], ids=lambda m: m.id)
def test_a_mistake_that_only_a_probe_finds_is_named_by_a_hidden_test_and_tried_by_an_answer(mistake):
    quoted = f'"{mistake.id}"'
    assert any(quoted in path.read_text() for path in (ROOT / "autograder" / "hidden").glob("*.py"))
    tried = [*(ROOT / "tests" / "corpus").glob(f"*/wrong/{mistake.id.replace('-', '_')}.py")]
    assert tried or any(quoted in path.read_text() for path in (ROOT / "tests" / "hidden").glob("*.py"))


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: m.id)
def test_a_choice_is_made_at_stages_that_exist(mistake):
    stages = {stage for pipeline in PIPELINES.values() for stage in pipeline.stages}
    assert all(choice and choice.keys() <= stages for choice in mistake.choices)
    assert set(mistake.tasks or ()) <= set(PIPELINES)


@pytest.mark.parametrize("task", PIPELINES)
def test_a_pipeline_starts_with_the_arguments_of_its_task(task):
    assert list(inspect.signature(PIPELINES[task].start).parameters) == signature_of(task)


def test_a_task_in_which_a_mistake_cannot_be_made_has_no_form_of_it():
    assert BANK["scale-missing"].forms("wrong_view") == ()


def test_what_cannot_be_told_apart_is_known_and_has_a_reason():
    for ids, reason in INSEPARABLE:
        assert ids <= BANK.keys()
        assert len(ids) > 1
        assert reason


@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("kind", [torch.bool, torch.float32])
@pytest.mark.parametrize(("B", "n"), [(2, 5), (5, 2), (4, 4)])
def test_the_masked_module_by_hand_is_that_of_torch(batch_first, kind, B, n):
    draw = Draw(B)
    x, state = draw.tensor(B, n, 12), attention_state(draw, 12)
    mask = draw.padding(B, n) if n > 2 else torch.tensor([[False, True]] * B)
    if kind == torch.float32:
        mask = mask * draw.tensor(B, n)

    def torchs_own(x, state, h, mask, batch_first):
        return pieces.module(state, h, batch_first=batch_first)(x, x, x, key_padding_mask=mask)

    ours, theirs = (
        outcome(lambda make=make: make(x, state, 3, mask, batch_first)) for make in (pieces.masked_module, torchs_own)
    )
    assert isinstance(ours, str) == isinstance(theirs, str) == (n != B and not batch_first)
    if isinstance(ours, str):
        assert ours == theirs
    else:
        for a, b in zip(ours, theirs, strict=True):
            torch.testing.assert_close(a, b, atol=1e-6, rtol=1e-5)


def outcome(make):
    try:
        return make()
    except AssertionError as error:
        return str(error)
