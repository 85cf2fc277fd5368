"""Says what can be seen in a wrong result: which parts, which samples, heads or positions, and the sums of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from headcheck.diagnosis.values import TOLERANCE
from headcheck.i18n import _

FEW = 6
"""Up to so many indices are listed."""


@dataclass(frozen=True)
class Part:
    """One tensor of a task's result, as it is called before a student. Texts are marked with `N_`."""

    name: str
    axes: Sequence[str]
    """What each axis counts, in the plural ("heads")."""
    is_share: bool = False
    """Every row (last axis) should add up to 1."""


def symptoms(got: Any, expected: Any, parts: Sequence[Part]) -> list[str]:
    """Describe a wrong result; nothing of the inputs or of the expected numbers is told.

    Args:
        got: the student's value.
        expected: the right one.
        parts: what the result consists of.

    Returns:
        Sentences, the most telling first.
    """
    pairs = _pairs(got, expected, parts)
    right = [part for part, mine, theirs in pairs if _is_right(mine, theirs)]
    said = []
    for part, mine, theirs in pairs:
        if part in right:
            continue
        said.extend(_about(part, mine, theirs))
    if right and len(right) < len(pairs):
        said.append(_("The {names} are right.").format(names=_(", ").join(_(part.name) for part in right)))
    return said


def _pairs(got: Any, expected: Any, parts: Sequence[Part]) -> list[tuple[Part, Any, Any]]:
    if len(parts) == 1:
        return [(parts[0], got, expected)]
    if not isinstance(got, (tuple, list)) or len(got) != len(parts):
        return []
    return list(zip(parts, got, expected, strict=True))


def _is_right(mine: Any, theirs: torch.Tensor) -> bool:
    if not isinstance(mine, torch.Tensor) or mine.shape != theirs.shape:
        return False
    return torch.allclose(mine.double(), theirs.double(), atol=TOLERANCE, rtol=TOLERANCE)


def _about(part: Part, mine: Any, theirs: torch.Tensor) -> list[str]:
    if not isinstance(mine, torch.Tensor) or not mine.is_floating_point():
        return []
    said = []
    if part.is_share and mine.ndim and mine.numel():
        said.extend(_about_rows(part, mine))
    if mine.shape == theirs.shape and mine.ndim == len(part.axes):
        wrong = ~torch.isclose(mine.double(), theirs.double(), atol=TOLERANCE, rtol=TOLERANCE)
        said.extend(_where(part, wrong))
    return said


def _about_rows(part: Part, mine: torch.Tensor) -> list[str]:
    """Say what the rows of weights add up to."""
    name = _(part.name)
    if bool(mine.isnan().any()):
        return [_("Some of the {name} are NaN: softmax had nothing left to look at.").format(name=name)]
    if bool((mine < 0).any()):
        return [_("Some of the {name} are negative.").format(name=name)]
    sums = mine.sum(-1)
    low, high = round(float(sums.min()), 2), round(float(sums.max()), 2)
    if (low, high) == (1.0, 1.0):
        return [_("Every row of the {name} adds up to 1.").format(name=name)]
    if not 0 <= low <= high <= 1000:
        return [_("The rows of the {name} do not add up to 1.").format(name=name)]
    if low == high:
        return [_("Every row of the {name} adds up to {sum:g}, not to 1.").format(name=name, sum=low)]
    return [
        _("The rows of the {name} add up to something between {low:g} and {high:g}, not to 1.").format(
            name=name, low=low, high=high
        )
    ]


def _where(part: Part, wrong: torch.Tensor) -> list[str]:
    """Name the axes along which only some entries are wrong."""
    said = []
    for axis, label in enumerate(part.axes):
        others = [other for other in range(wrong.ndim) if other != axis]
        here = wrong.amax(dim=others) if others else wrong
        indices = here.nonzero().flatten().tolist()
        if 0 < len(indices) < len(here) and len(indices) <= FEW:
            said.append(
                _("Only these {axis} of the {name} are wrong (counted from 0): {indices}.").format(
                    name=_(part.name), axis=_(label), indices=", ".join(map(str, indices))
                )
            )
    return said
