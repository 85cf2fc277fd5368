"""A diagnosis helps, and never gets in the way of a verdict."""

from pathlib import Path

import pytest
import torch
from headcheck.course.config import load_course
from headcheck.diagnosis.match import Observation, load_bank
from headcheck.grading.checks import Mismatch
from headcheck.grading.diagnose import Diagnosis, diagnose, diagnose_safely
from headcheck.grading.session import HiddenTest, Outcome
from headcheck.jail.errors import StudentError

from solutions import from_scratch

BANK = load_bank(load_course(Path(__file__).parents[2]))
TASK = "attention"
Q, K, V = torch.randn(2, 3, 4, 5), torch.randn(2, 3, 6, 5), torch.randn(2, 3, 6, 5)
EXPECTED = from_scratch.attention(Q, K, V, None)


def outcomes(got):
    error = Mismatch("wrong", function=TASK, inputs=(Q, K, V, None), got=got, expected=EXPECTED)
    return [Outcome(HiddenTest(TASK, 1, "t"), error, (Observation((Q, K, V, None), {}, got),))]


ODD = [
    None,
    7,
    "text",
    [],
    {"a": 1},
    (None, None),
    (EXPECTED[0],),
    (EXPECTED[0].bool(), EXPECTED[1].long()),
    (EXPECTED[0].to(torch.complex64), EXPECTED[1]),
    (torch.zeros(0), torch.zeros(2, 3, 0, 6)),
    (torch.tensor(1.0), torch.tensor(1)),
    tuple(part * float("inf") for part in EXPECTED),
    StudentError("Strange", "x" * 10_000),
]


@pytest.mark.parametrize("got", ODD, ids=lambda got: type(got).__name__)
def test_odd_values_get_no_name_and_do_no_harm(got):
    assert diagnose(TASK, outcomes(got), BANK).ways == ()


def test_a_failing_diagnosis_says_nothing():
    assert diagnose_safely(TASK, outcomes(None), {"broken": object()}) == Diagnosis()


def test_the_scale_is_named_with_its_stage():
    weights = (Q @ K.transpose(-2, -1)).softmax(-1)
    found = diagnose(TASK, outcomes((weights @ V, weights)), BANK)
    assert found.ids == ("scale-missing",)
    assert found.place.stage == "scale"
    assert "Every row of the weights adds up to 1." in found.symptoms


def test_a_bank_without_stages_still_names():
    weights = (Q @ K.transpose(-2, -1)).softmax(-1)
    assert diagnose(TASK, outcomes((weights @ V, weights)), dict(BANK)).ids == ("scale-missing",)
