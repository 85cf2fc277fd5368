"""What can be seen in a wrong result is said, and nothing about the right numbers."""

import pytest
import torch
from headcheck.diagnosis.symptoms import Part, symptoms

OUTPUT = Part("output", ("sentences", "queries", "columns"))
WEIGHTS = Part("weights", ("sentences", "heads", "queries", "keys"), is_share=True)
OUT, SHARES = torch.arange(24.0).reshape(2, 3, 4), torch.full((2, 2, 3, 5), 0.2)


def said(out=OUT, weights=SHARES):
    return " ".join(symptoms((out, weights), (OUT, SHARES), (OUTPUT, WEIGHTS)))


def changed(tensor, *index):
    tensor = tensor.clone()
    tensor[index] += 1
    return tensor


def test_nothing_is_said_of_a_right_result():
    assert said() == ""


def test_the_part_that_is_right_is_named():
    assert "The weights are right." in said(out=OUT + 1)
    assert "The output are right." not in said(out=OUT + 1)


@pytest.mark.parametrize(
    ("index", "words"),
    [
        ((1,), "Only these sentences of the output are wrong (counted from 0): 1."),
        ((slice(None), 2), "Only these queries of the output are wrong (counted from 0): 2."),
        ((0, slice(None), slice(1, 3)), "(counted from 0): 1, 2."),
    ],
)
def test_the_axis_along_which_little_is_wrong_is_named(index, words):
    assert words in said(out=changed(OUT, *index))


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (SHARES * 2, "adds up to 2, not to 1"),
        (SHARES * torch.tensor([1.0, 2.0])[:, None, None, None], "between 1 and 2"),
        (-SHARES, "negative"),
        (SHARES * torch.nan, "NaN"),
        (SHARES.roll(1, 0) + 1e6, "do not add up to 1"),
    ],
)
def test_rows_that_do_not_add_up_are_told(weights, words):
    assert words in said(weights=weights)


@pytest.mark.parametrize(
    "got", [None, 3, (OUT,), (OUT, None), "text", (OUT.long(), SHARES.bool()), (OUT[0], SHARES[0])]
)
def test_odd_values_do_no_harm(got):
    assert isinstance(symptoms(got, (OUT, SHARES), (OUTPUT, WEIGHTS)), list)


def test_empty_tensors_do_no_harm():
    empty = torch.zeros(2, 0, 3, 5)
    assert isinstance(symptoms((OUT, empty), (OUT, SHARES), (OUTPUT, WEIGHTS)), list)
