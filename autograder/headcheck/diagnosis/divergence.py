"""Finds where a computation went wrong: the first stage that differs, and the line that made it.

The steps of a call come from the student's process and may be forged. They are hints for a message and never decide
about points.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from headcheck.diagnosis.bank import Context
from headcheck.diagnosis.stages import Elements, Pipeline, merged, quietly
from headcheck.diagnosis.values import close, quick_same
from headcheck.jail.errors import StudentError
from headcheck.jail.remote import Step


@dataclass(frozen=True)
class Place:
    """A stage, and the line of the student's code that computes it, as far as they are known."""

    stage: str
    cell: int | None = None
    line: int | None = None


Stages = list[tuple[str, Context]]
"""Stage -> what it added to the context or changed in it."""


def find_place(
    pipeline: Pipeline, args: Sequence[Any], got: Any, elements: Elements, steps: Sequence[Step]
) -> Place | None:
    """Find the first stage that differs from the reference, and its line.

    Args:
        pipeline: the task's stages.
        args: arguments of a call that came out wrong.
        got: what it returned, or the StudentError.
        elements: the wrong choices that explain it; none when nothing does.
        steps: torch operations of the same call, in order.

    Returns:
        The place; None when nothing can be said.
    """
    with quietly():
        right = added(pipeline, args, ())
        if not elements:
            return _unexplained(right, got, steps)
        wrong = added(pipeline, args, elements)
    stage = _first_difference(right, wrong) or _first_stage(pipeline, elements)
    if isinstance(got, StudentError):
        return Place(stage, got.cell, got.line)
    step = _made_by(pipeline, stage, dict(right), wrong, elements, steps) or (steps[-1] if steps else None)
    return Place(stage, step.cell, step.line) if step else Place(stage)


def added(pipeline: Pipeline, args: Sequence[Any], elements: Elements) -> Stages:
    """Compute what each stage adds; ends early where a stage fails."""
    choice, stages = merged(elements), []
    try:
        context = pipeline.start(*args)
        for name, right in pipeline.stages.items():
            made = choice.get(name, right)(context)
            stages.append((name, made))
            context = {**context, **made}
    except Exception:
        return stages
    return stages


def _first_stage(pipeline: Pipeline, elements: Elements) -> str:
    return min((stage for element in elements for stage in element.choice), key=list(pipeline.stages).index)


def _first_difference(right: Stages, wrong: Stages) -> str | None:
    """Name the first stage whose results differ, and the first missing one when a computation failed."""
    for (name, expected), (_name, made) in zip(right, wrong, strict=False):
        if expected.keys() != made.keys() or not all(_alike(expected[key], made[key]) for key in made):
            return name
    return right[len(wrong)][0] if len(wrong) < len(right) else None


def _alike(a: Any, b: Any) -> bool:
    return a is b or quick_same(a, b)


def _made_by(
    pipeline: Pipeline,
    stage: str,
    right: dict[str, Context],
    wrong: Stages,
    elements: Elements,
    steps: Sequence[Step],
) -> Step | None:
    """Find the step that made the first wrong tensor."""
    names = [name for name, _made in wrong]
    start = names.index(stage) if stage in names else len(names)
    known = [tensor for _name, made in wrong[:start] for tensor in _tensors(made.values())]
    later = [name for e in elements if stage in e.choice for name in e.choice if name in names[start + 1 :]]
    waiting = False
    for name, made in wrong[start:]:
        if waiting and name not in later:
            continue
        expected = _tensors(right.get(name, {}).values())
        changed = [tensor for tensor in _tensors(made.values()) if not _contains(expected, tensor)]
        fresh = [tensor for tensor in changed if not _contains(known, tensor)]
        waiting = name == stage and not fresh and bool(later)  # what is left out here is done wrongly later on
        if name == stage and not fresh and not later:
            # Nothing is done here. The right tensor may have been made and thrown away; or the line says too little.
            wanted = [tensor for tensor in expected if not _contains(known, tensor)]
            if (step := _first_match(steps, wanted)) is not None:
                return step
            fresh = changed if name in pipeline.with_previous else []
        if (step := _first_match(steps, fresh) or _first_rearranged(steps, fresh, known)) is not None:
            return step
        known.extend(fresh)
    return None


def _tensors(values: Iterable[Any]) -> list[torch.Tensor]:
    return [value for value in values if isinstance(value, torch.Tensor) and value.is_floating_point()]


def _contains(tensors: Sequence[torch.Tensor], one: torch.Tensor) -> bool:
    return any(close(tensor, one) for tensor in tensors)


def _first_match(steps: Sequence[Step], tensors: Sequence[torch.Tensor]) -> Step | None:
    for step in steps:
        if any(_contains(tensors, _real(output)) for output in step.outputs):
            return step
    return None


def _real(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.to(torch.float32) if tensor.is_floating_point() else tensor


def _first_rearranged(
    steps: Sequence[Step], tensors: Sequence[torch.Tensor], known: Sequence[torch.Tensor]
) -> Step | None:
    """Find a step with the same numbers in another order; only where the order is not all that is new."""
    marks = [mark for mark in map(_sorted, tensors) if not any(_holds(old, mark) for old in known)]
    for step in steps:
        if any(_holds(output, mark) for mark in marks for output in step.outputs):
            return step
    return None


def _sorted(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().flatten().sort().values


def _holds(output: torch.Tensor, mark: torch.Tensor) -> bool:
    """Tell whether a tensor of the student's holds the sorted numbers, in any order; large ones are not even sorted."""
    return output.numel() == mark.numel() and output.is_floating_point() and close(mark, _sorted(_real(output)))


def _unexplained(right: Stages, got: Any, steps: Sequence[Step]) -> Place | None:
    """Find the last stage that came out right, and the step after it."""
    stage, position = None, -1
    for name, made in right:
        for tensor in _tensors(made.values()):
            found = _position(steps, tensor, position)
            if found is not None:
                stage, position = name, found
    names = [name for name, made in right if made or name == stage]
    following = names[min(names.index(stage) + 1, len(names) - 1)] if stage else names[0]
    if isinstance(got, StudentError):
        return Place(following, got.cell, got.line)
    if position < 0 and not steps:
        return None
    after = steps[position + 1 :]
    step = next((s for s in after if not _is_view_of_right(s, right)), after[0] if after else steps[position])
    return Place(following, step.cell, step.line)


def _position(steps: Sequence[Step], tensor: torch.Tensor, earliest: int) -> int | None:
    mark = _sorted(tensor)
    for index in range(max(earliest, 0), len(steps)):
        if any(_holds(output, mark) for output in steps[index].outputs):
            return index
    return None


def _is_view_of_right(step: Step, right: Stages) -> bool:
    marks = [_sorted(tensor) for _name, made in right for tensor in _tensors(made.values())]
    return all(any(_holds(output, mark) for mark in marks) for output in step.outputs)
