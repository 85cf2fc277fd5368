"""Every known attack wins nothing; with the layer off that stops it, it wins, so that the attack itself is real."""

import os
from collections.abc import Callable

import pytest
from cases import FIELDS, Case, all_cases
from headcheck.jail.layers import LANDLOCK, LAYERS, NAMESPACES, SECCOMP

CASES = all_cases()
EVERYTHING = os.environ.get("HEADCHECK_ATTACKS") == "all"
# What a machine offers, and the level that it should give.
MACHINES = {
    "A": ("A", LAYERS),
    "B": ("B", (LANDLOCK, SECCOMP)),
    "gvisor": ("A", (NAMESPACES, SECCOMP)),  # it has no Landlock
}
# In a plain test run: the full jail as the user at hand, the smaller one as the other user when there is one.
FAST = ("root-A" if os.geteuid() == 0 else "user-A", "user-B")
MODES = [f"{who}-{machine}" for who in ("root", "user") for machine in MACHINES] if EVERYTHING else FAST
VERSIONS = (1, 2, 3, 4) if EVERYTHING else (2,)

Arguments = tuple[str, ...]


def sample(cases: list[Case]) -> list[Case]:
    """Leave out most in a plain test run."""
    return cases if EVERYTHING else cases[::5]


def with_layers(who: str, layers: tuple[str, ...], *more: str) -> Arguments:
    return (who, "--layers", ",".join(layers), *more)


def sabotage(case: Case) -> Arguments:
    """The arena without what stops an attack."""
    if "judge" in case.stopped_by:
        return with_layers("user", LAYERS, "--naive")
    if "limits" in case.stopped_by:
        return with_layers("user", LAYERS, "--loose")
    return with_layers("user", tuple(layer for layer in LAYERS if layer not in case.stopped_by))


WALLS = [
    pytest.param(with_layers(who, layers), case, level, id=f"{who}-{machine}-{case.name}")
    for who, _, machine in (mode.partition("-") for mode in MODES)
    for level, layers in (MACHINES[machine],)
    for case in CASES
]
OLD_LANDLOCK = [
    pytest.param(
        with_layers("user", (LANDLOCK, SECCOMP), "--landlock", str(version)), case, id=f"{version}-{case.name}"
    )
    for version in VERSIONS
    for case in sample([case for case in CASES if LANDLOCK in case.stopped_by])
]
SABOTAGE = [
    pytest.param(sabotage(case), case, id=case.name)
    for case in sorted(sample([case for case in CASES if case.stopped_by != ("design",)]), key=sabotage)
]


def test_there_are_many_attacks_and_each_says_what_it_is_after():
    assert len(CASES) >= 100
    for case in CASES:
        assert case.tries.endswith(".")
        assert case.loot
        assert len(FIELDS) == 4


@pytest.mark.parametrize(("arguments", "case", "level"), WALLS)
def test_an_attack_wins_nothing(arena: Callable, arguments: Arguments, case: Case, level: str):
    opponent = arena(arguments)
    if opponent.about["isolation"] != level:
        pytest.skip(f"this machine does not reach level {level}: {opponent.about['missing']}")
    result = opponent.attack(case.name)
    assert "failed" not in result, result
    if level == "B" and case.open_at_b:
        assert result["won"], "docs/security.md states that this gets through at level B; it does not any more"
        return
    assert result["won"] == [], f"{case.tries} Won: {result}"


@pytest.mark.parametrize(("arguments", "case"), OLD_LANDLOCK)
def test_an_attack_wins_nothing_against_an_older_landlock(arena: Callable, arguments: Arguments, case: Case):
    result = arena(arguments).attack(case.name)
    assert result.get("won") == [], f"{case.tries} Won: {result}"


@pytest.mark.parametrize(("arguments", "case"), SABOTAGE)
def test_without_what_stops_it_the_attack_wins(arena: Callable, arguments: Arguments, case: Case):
    result = arena(arguments).attack(case.name)
    assert result.get("won"), f"{case.name} proves nothing about {case.stopped_by}: {result}"
