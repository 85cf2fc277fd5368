"""Tells of a task that it builds on another one which is not right, instead of repeating what is wrong there."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence

from headcheck.course.submission import Submission
from headcheck.grading.verdict import TaskVerdict
from headcheck.i18n import _


def depending(
    tasks: Sequence[TaskVerdict], prerequisites: Mapping[str, Sequence[str]], submission: Submission
) -> tuple[TaskVerdict, ...]:
    """Point from every task that went wrong to the earlier ones that it uses and that are not right.

    Args:
        tasks: verdicts of all tasks.
        prerequisites: task -> tasks that an answer may build on.
        submission: the submission; an answer builds on a task when it calls the function of that name.

    Returns:
        The verdicts; points and states are as they were.
    """
    by_name = {task.task: task for task in tasks}
    return tuple(_with_hint(task, by_name, prerequisites.get(task.task, ()), submission) for task in tasks)


def _with_hint(
    task: TaskVerdict, by_name: Mapping[str, TaskVerdict], needs: Sequence[str], submission: Submission
) -> TaskVerdict:
    if task.state in ("correct", "not_attempted", "manual"):
        return task
    source = "\n".join(cell.source for cell in submission.cells if cell.kind == "solution" and cell.id == task.task)
    used = [name for name in needs if name in by_name and re.search(rf"\b{re.escape(name)}\s*\(", source)]
    wrong = [by_name[name] for name in used if by_name[name].state != "correct"]
    if not wrong:
        return task
    hint = _("This task uses {names}, which is not right yet: mend that first.").format(
        names=_(", ").join(other.task for other in wrong)
    )
    inherited = {mistake for other in wrong for mistake in other.mistakes}
    if task.mistakes and inherited >= set(task.mistakes):
        return dataclasses.replace(task, message=hint, details=(task.message, *task.details))
    return dataclasses.replace(task, message=f"{hint}\n{task.message}")
