"""Every known attack wins nothing; with the layer off that stops it, it wins, so that the attack itself is real."""

import os
from collections.abc import Callable

import pytest
from cases import FIELDS, Case, all_cases
from headcheck.jail.layers import LAYERS

CASES = all_cases()
EVERYTHING = os.environ.get("HEADCHECK_ATTACKS") == "all"
A, B = (), ("--layers", "landlock,seccomp")
HERE = "root" if os.geteuid() == 0 else "user"
# In a plain test run: the full jail as the user at hand, the smaller one as the other user when there is one.
MODES = {f"{who}-{level}": (who, *layers) for who in ("root", "user") for level, layers in (("A", A), ("B", B))}
FAST = (f"{HERE}-A", "user-B")


OLD_LANDLOCK = [case for case in CASES if "landlock" in case.stopped_by]


def sample(cases: list[Case]) -> list[Case]:
    """Leave out most in a plain test run."""
    return cases if EVERYTHING else cases[::5]


def ids(case: Case) -> str:
    return case.name


def test_there_are_many_attacks_and_each_says_what_it_is_after():
    assert len(CASES) >= 100
    for case in CASES:
        assert case.tries.endswith(".")
        assert case.loot
        assert len(FIELDS) == 4


@pytest.mark.parametrize("case", CASES, ids=ids)
@pytest.mark.parametrize("mode", MODES if EVERYTHING else FAST)
def test_an_attack_wins_nothing(arena: Callable, mode: str, case: Case):
    opponent = arena(*MODES[mode])
    expected = mode[-1]
    if opponent.about["isolation"] != expected:
        pytest.skip(f"this machine does not reach level {expected}: {opponent.about['missing']}")
    result = opponent.attack(case.name)
    assert "failed" not in result, result
    if expected == "B" and case.open_at_b:
        assert result["won"], "docs/security.md states that this gets through at level B; it does not any more"
        return
    assert result["won"] == [], f"{case.tries} Won: {result}"


@pytest.mark.parametrize("version", [1, 2, 3, 4] if EVERYTHING else [2])
@pytest.mark.parametrize("case", sample(OLD_LANDLOCK), ids=ids)
def test_an_attack_wins_nothing_against_an_older_landlock(arena: Callable, version: int, case: Case):
    result = arena("user", *B, "--landlock", str(version)).attack(case.name)
    assert result["won"] == [], f"{case.tries} Won: {result}"


def sabotage(case: Case) -> tuple[str, ...]:
    """The arena without what stops an attack."""
    if "judge" in case.stopped_by:
        return ("user", "--naive")
    if "limits" in case.stopped_by:
        return ("user", "--loose", "--layers", ",".join(LAYERS))
    return ("user", "--layers", ",".join(layer for layer in LAYERS if layer not in case.stopped_by))


@pytest.mark.parametrize(
    "case", sorted(sample([case for case in CASES if case.stopped_by != ("design",)]), key=sabotage), ids=ids
)
def test_without_what_stops_it_the_attack_wins(arena: Callable, case: Case):
    result = arena(*sabotage(case)).attack(case.name)
    assert result.get("won"), f"{case.name} proves nothing about {case.stopped_by}: {result}"
