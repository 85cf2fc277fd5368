"""Brings together what can be said about a wrong answer: its mistakes, what was seen, and where it went wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from headcheck.diagnosis.bank import Mistake
from headcheck.diagnosis.divergence import Place, find_place
from headcheck.diagnosis.match import Bank, Observation, Way, as_call, explanations
from headcheck.diagnosis.stages import Pipeline
from headcheck.diagnosis.symptoms import symptoms
from headcheck.grading.checks import Mismatch, WrongAnswer
from headcheck.grading.session import Outcome
from headcheck.i18n import _
from headcheck.jail.errors import StudentFailure
from headcheck.jail.remote import Step


@dataclass(frozen=True)
class Diagnosis:
    """What is known about a wrong answer."""

    ways: tuple[Way, ...] = ()
    """Mistakes that explain it; more than one way means that they cannot be told apart."""
    symptoms: tuple[str, ...] = ()
    place: Place | None = None
    place_name: str = ""
    """The stage in the student's words."""
    searched: bool = False
    """Whether values were compared with the whole bank."""

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of all mistakes in all ways."""
        return tuple(dict.fromkeys(mistake.id for way in self.ways for mistake in way.mistakes))


def diagnose_safely(
    task: str, outcomes: Sequence[Outcome], bank: Mapping[str, Mistake], alive: bool = False
) -> Diagnosis:
    """Diagnose, or say nothing: values are a student's making, and no odd one may cost him or others a verdict.

    Args:
        task: as for `diagnose`.
        outcomes: as for `diagnose`.
        bank: as for `diagnose`.
        alive: as for `diagnose`.

    Returns:
        What is known.
    """
    try:
        return diagnose(task, outcomes, bank, alive)
    except Exception:
        return Diagnosis()


def diagnose(task: str, outcomes: Sequence[Outcome], bank: Mapping[str, Mistake], alive: bool = False) -> Diagnosis:
    """Find out about a task that went wrong.

    Args:
        task: its name.
        outcomes: of all its hidden tests.
        bank: known mistakes.
        alive: whether the student's process can still be asked for the steps of a call.

    Returns:
        What is known.
    """
    mismatches = [outcome.error for outcome in outcomes if isinstance(outcome.error, Mismatch)]
    failed = [Observation(error.inputs, error.named_inputs, error.got) for error in mismatches]
    calls = [call for outcome in outcomes for call in outcome.calls]
    ways = explanations(bank, task, failed, calls) or _told(outcomes, bank)
    pipeline = bank.pipelines.get(task) if isinstance(bank, Bank) else None
    if pipeline is None or not mismatches:
        return Diagnosis(tuple(ways))
    place = _place(pipeline, mismatches[0], calls, ways, alive)
    return Diagnosis(
        ways=tuple(ways),
        symptoms=tuple(symptoms(mismatches[0].got, mismatches[0].expected, pipeline.parts)),
        place=place,
        place_name=_(pipeline.labels.get(place.stage, place.stage)) if place else "",
        searched=True,
    )


def _told(outcomes: Sequence[Outcome], bank: Mapping[str, Mistake]) -> list[Way]:
    """The mistakes that hidden tests named themselves, by a probe."""
    said = [name for o in outcomes if isinstance(o.error, WrongAnswer) for name in o.error.mistakes]
    return [Way((bank[name],)) for name in dict.fromkeys(said) if name in bank][:1]


def _place(
    pipeline: Pipeline, mismatch: Mismatch, calls: Sequence[Observation], ways: Sequence[Way], alive: bool
) -> Place | None:
    """Look at the first call that went wrong, once more with its steps where that is possible."""
    call = next((call for call in calls if call.got is mismatch.got), None)
    if call is None or (seen := as_call(pipeline, call)) is None:
        return None
    elements = ways[0].elements if len(ways) >= 1 else ()
    return find_place(pipeline, seen.args, seen.got, elements, _steps(call) if alive else ())


def _steps(call: Observation) -> Sequence[Step]:
    if call.again is None:
        return ()
    try:
        return call.again().steps
    except StudentFailure:
        return ()
