"""What grading says about a submission, and the JSON form that other tools read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

State = Literal["correct", "partial", "incorrect", "not_attempted", "error", "timeout", "manual"]


@dataclass(frozen=True)
class Divergence:
    """Where a computation first went wrong."""

    stage: str
    cell: int | None
    line: int | None


@dataclass(frozen=True)
class TaskVerdict:
    """What came of one task."""

    task: str
    score: float
    max_score: float
    state: State
    message: str
    """One best message, for the student; plain text."""
    mistakes: tuple[str, ...] = ()
    """Ids of the mistakes that explain the values."""
    divergence: Divergence | None = None
    details: tuple[str, ...] = ()
    """Further messages, one per failed hidden test."""
    named: bool = True
    """Whether the student may read the names of his mistakes already."""


@dataclass(frozen=True)
class CellOutput:
    """What one cell printed and how it ended, as claimed by the student's process; for display only."""

    stdout: str = ""
    stderr: str = ""
    result: str = ""
    error_name: str = ""
    error_message: str = ""
    traceback: str = ""


@dataclass(frozen=True)
class Verdict:
    """What came of one submission."""

    notebook: str
    assignment: str
    score: float
    max_score: float
    isolation: str
    """Strength of the jail: `A`, `B` or `none`."""
    tasks: tuple[TaskVerdict, ...]
    notes: tuple[str, ...] = ()
    """What was odd about the submission or the run: repaired cells, restarts, missing layers of the jail."""
    outputs: dict[int, CellOutput] = field(default_factory=dict)
    """Index of a cell in the repaired notebook -> what it printed."""
    unreadable: str = ""
    """Why the notebook could not be read at all; empty when it could."""
    memory_mb: float | None = None
    """Most memory that the student's process took beyond what Python and torch take; None when none ran."""

    @property
    def untouched(self) -> set[str]:
        """Names of the tasks to which nobody gave an answer."""
        return {task.task for task in self.tasks if task.state == "not_attempted"}

    def to_json(self) -> dict[str, Any]:
        """Return the stable JSON form (one object a line in `headcheck check --json`)."""
        return {
            "notebook": self.notebook,
            "assignment": self.assignment,
            "score": _number(self.score),
            "max_score": _number(self.max_score),
            "isolation": self.isolation,
            "tasks": [_task_json(task) for task in self.tasks],
            "notes": list(self.notes),
            "memory_mb": None if self.memory_mb is None else round(self.memory_mb, 1),
        }

    def to_record(self) -> dict[str, Any]:
        """Return everything as plain JSON values, to be kept or sent to another process; see `verdict_of`."""
        return asdict(self)


def verdict_of(record: Mapping[str, Any]) -> Verdict:
    """Rebuild a verdict.

    Args:
        record: from `Verdict.to_record`, perhaps by way of JSON.

    Returns:
        The verdict.

    Raises:
        ValueError: it is no such record.
    """
    try:
        return Verdict(
            **{
                **record,
                "tasks": tuple(map(_task_of, record["tasks"])),
                "notes": tuple(record["notes"]),
                "outputs": {int(index): CellOutput(**output) for index, output in record["outputs"].items()},
            }
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"no verdict: {error}") from error


def _task_of(record: Mapping[str, Any]) -> TaskVerdict:
    place = record["divergence"]
    return TaskVerdict(
        **{
            **record,
            "mistakes": tuple(record["mistakes"]),
            "divergence": place and Divergence(**place),
            "details": tuple(record["details"]),
        }
    )


def _task_json(task: TaskVerdict) -> dict[str, Any]:
    place = task.divergence
    return {
        "task": task.task,
        "score": _number(task.score),
        "max_score": _number(task.max_score),
        "state": task.state,
        "message": task.message,
        "mistakes": list(task.mistakes),
        "divergence": place and {"stage": place.stage, "cell": place.cell, "line": place.line},
    }


def _number(value: float) -> float | int:
    """Write whole points without a fraction."""
    return int(value) if value == int(value) else round(value, 4)
