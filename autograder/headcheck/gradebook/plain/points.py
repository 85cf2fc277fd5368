"""The points of a test cell of a plain nbgrader notebook, and in a sentence why they are what they are."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from headcheck.course.build import HIDDEN_CALL
from headcheck.gradebook.plain.run import Outcome
from headcheck.i18n import _

NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?|[+-]?(?:nan|inf)", re.IGNORECASE)

WRAPPED = re.compile(
    r"(?:np\.(?:float(?:16|32|64)|u?int\d+|True_|False_|bool)|tensor|array)\(([^(),\[\]]*)(?:, dtype=[\w.]+)?\)"
)
"""How numpy and torch print one number; stock nbgrader reads it as full points."""

NUMBERS = re.compile(r"(?:tensor|array|np\.\w+)\(.*|[\[(]?[-+\d.,\sejnaif]+[\])]?|.*\bgrad_fn=.*", re.DOTALL)
"""What looks like numbers, but is not one number."""

SHOWN = 80


@dataclass(frozen=True)
class Points:
    """What a test cell is worth."""

    score: float | None
    """None when a person has to decide."""
    reason: str = ""
    """For student and teaching assistant; empty when there is nothing to say."""
    look: bool = False
    """Whether a person should look at it all the same."""


def points_of(source: str, maximum: float, outcome: Outcome | None, seconds: float | None) -> Points:
    """Decide the points of a test cell, by nbgrader's rules without their holes.

    A warning costs nothing. What the cell printed is worth nothing; only whether it ended without an exception, and
    the value of its last expression when that is a number.

    Args:
        source: text of the cell, from the course.
        maximum: points of the cell.
        outcome: how it ended, None when it did not run.
        seconds: the time it had.

    Returns:
        The points.
    """
    if HIDDEN_CALL in source:
        return Points(None, _("This cell belongs to headcheck's hidden tests, which were not run."))
    if not source.strip():
        return Points(maximum)
    if outcome is None:
        return Points(0.0, _("The test was not run."))
    output = outcome.output
    match outcome.fate:
        case "timeout":
            return Points(0.0, _late(seconds))
        case "died":
            return Points(0.0, _("The notebook's process ended during this test: {why}.").format(why=outcome.reason))
        case "replaced":
            return Points(0.0, _("Code of the notebook kept this test from running."), look=True)
        case "not run":
            return Points(0.0, _("The test was not run: {why}.").format(why=outcome.reason))
        case "error":
            error = f"{output.error_name}: {output.error_message}" if output.error_message else output.error_name
            return Points(0.0, _("The test failed with {error}").format(error=error))
    return partial_credit(output.result, maximum) if output.result else Points(maximum)


def partial_credit(text: str, maximum: float) -> Points:
    """Read the value of a test cell's last expression as its points.

    Args:
        text: the value as Python prints it.
        maximum: points of the cell.

    Returns:
        A number within the range counts. Another number is worth nothing; what is no number at all is worth full
        points, as with nbgrader. A person should look at both.
    """
    text = text.strip()
    shown = text if len(text) <= SHOWN else text[:SHOWN] + "…"
    wrapped = WRAPPED.fullmatch(text)
    inner = wrapped[1].strip() if wrapped else text
    if inner in ("True", "True_") or text == "np.True_":
        return Points(maximum)
    if inner in ("False", "False_") or text == "np.False_":
        return Points(0.0, _("The test ended with {value}.").format(value=shown))
    if NUMBER.fullmatch(inner):
        return _number(float(inner), shown, maximum)
    if NUMBERS.fullmatch(text):
        return Points(0.0, _("The test ended with {value}, which is not one number.").format(value=shown), look=True)
    return Points(
        maximum, _("The test ended with {value}, which is no number of points.").format(value=shown), look=True
    )


def _number(value: float, shown: str, maximum: float) -> Points:
    if math.isfinite(value) and 0 <= value <= maximum:
        return Points(value)
    reason = _("The test ended with {value}, which is no number of points between 0 and {maximum:g}.")
    return Points(0.0, reason.format(value=shown, maximum=maximum), look=True)


def _late(seconds: float | None) -> str:
    if seconds is None:
        return _("The test did not come to its end.")
    return _("The test took longer than {seconds:g} s; often that is a loop that never ends.").format(seconds=seconds)
