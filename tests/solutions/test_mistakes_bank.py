"""The bank of known mistakes is complete in its words and its signatures."""

import inspect
import re

import pytest

from solutions import bug_hunt
from solutions.mistakes import BANK, STAGES

MISTAKES = list(BANK.values())


def test_no_id_stands_twice():
    assert len(BANK) == sum(len(stage.MISTAKES) for stage in STAGES)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: m.id)
def test_a_mistake_has_all_its_words(mistake):
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", mistake.id)
    assert BANK[mistake.id] is mistake
    assert mistake.question.endswith("?")
    assert mistake.explanation.endswith(".")
    assert not mistake.name.endswith(".")
    assert mistake.source.startswith(("https://", "public code: "))


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: m.id)
def test_a_mistake_can_be_made_somewhere_with_the_signature_of_the_task(mistake):
    assert mistake.wrong
    assert set(mistake.also) <= set(mistake.wrong)
    for task in mistake.wrong:
        wanted = len(inspect.signature(getattr(bug_hunt, task)).parameters)
        for form in mistake.forms(task):
            assert len(inspect.signature(form).parameters) == wanted


def test_a_task_in_which_a_mistake_cannot_be_made_has_no_form_of_it():
    assert BANK["scale-missing"].forms("wrong_view") == ()
