"""A diagnosis becomes words: one message first, as much as may be told, ties said openly."""

import pytest
from headcheck.diagnosis.bank import Mistake
from headcheck.diagnosis.divergence import Place
from headcheck.diagnosis.match import Way
from headcheck.grading.diagnose import Diagnosis
from headcheck.grading.messages import folded, lead


def mistake(name):
    return Mistake(name, f"the {name}", f"Because of {name}.", f"Which {name}?", see=f"Print {name}.")


A, B, C = map(mistake, "abc")
FOUND = Diagnosis((Way((A,)),), ("Rows add up to 2.", "Only head 1."), Place("mask", 3, 7), "the mask", True)


def with_ways(*ways):
    return Diagnosis(tuple(Way(way) for way in ways), searched=True)


def test_symptom_place_and_name_are_told_level_by_level():
    symptom, place, full = (lead("Wrong.", FOUND, hints) for hints in ("symptom", "place", "full"))
    assert symptom == "Wrong. Rows add up to 2."
    assert place == symptom + "\nIt goes wrong at this stage: the mask, in line 7 of your cell."
    assert full == place + "\nThe mistake: the a.\nBecause of a.\nWhich a?"


@pytest.mark.parametrize(("hints", "count"), [("symptom", 1), ("place", 1), ("full", 2)])
def test_the_rest_is_folded(hints, count):
    assert len(folded(FOUND, hints)) == count


def test_two_mistakes_are_both_explained():
    text = lead("Wrong.", with_ways((A, B)), "full")
    assert "Two mistakes at once. One: the a." in text
    assert "The other: the b." in text
    assert "Because of a." in text
    assert "Because of b." in text


def test_a_tie_is_said_openly():
    assert "Either the a, or the b; these inputs" in lead("Wrong.", with_ways((A,), (B,)), "full")


def test_what_two_ways_share_is_certain():
    text = lead("Wrong.", with_ways((A, B), (A, C)), "full")
    assert "One mistake: the a." in text
    assert "Either the b, or the c;" in text


def test_not_knowing_is_said_too():
    assert "None of the known mistakes" in lead("Wrong.", with_ways(), "full")
    assert "None" not in lead("Wrong.", with_ways(), "place")
    assert lead("Wrong.", Diagnosis(), "full") == "Wrong."
