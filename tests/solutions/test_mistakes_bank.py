"""The bank of known mistakes is complete in its words and its signatures."""

import inspect
import re
from pathlib import Path

import pytest

from solutions import bug_hunt, experiments, from_scratch, torch_module, two_relations
from solutions.mistakes import BANK, INSEPARABLE, LESSONS, PIPELINES, STAGES

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
