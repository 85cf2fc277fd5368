"""Puts a student's cells back into the assignment: what runs, in which order, and what was tampered with."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from headcheck.course.assignment import TESTS_SUFFIX, Assignment, SourceCell
from headcheck.course.notebook import RawCell, read_notebook
from headcheck.errors import UsageError
from headcheck.i18n import _


@dataclass(frozen=True)
class SubmittedCell:
    """One cell of the repaired notebook."""

    kind: str
    """As in SourceCell; cells of the student's own making are `plain`."""
    id: str
    """grade_id; empty for plain cells."""
    cell_type: str
    source: str
    """The student's text for plain, solution and manual cells, the course's own for locked and tests cells."""
    runs: bool = True
    """False for a copy that is kept for reading only, and for markdown."""


@dataclass(frozen=True)
class Submission:
    """A submission after repair: every cell of the assignment is there once, nothing is trusted but positions."""

    cells: tuple[SubmittedCell, ...]
    notes: tuple[str, ...] = ()
    """What was repaired, one sentence each."""
    missing: frozenset[str] = frozenset()
    """Names of solution and manual cells that are not in the submission."""
    unchanged: frozenset[str] = frozenset()
    """Names of solution and manual cells that are as released."""
    unreadable: str = ""
    """Why the file could not be read at all; then the cells are those of the release and none of them runs."""


@dataclass
class _Repair:
    """The work in progress of `merge`."""

    assignment: Assignment
    cells: list[SubmittedCell] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        """Remember one sentence, once."""
        if text not in self.notes:
            self.notes.append(text)


def read_submission(path: Path, assignment: Assignment) -> Submission:
    """Read a submitted notebook and repair it.

    Args:
        path: the student's file.
        assignment: what it is a submission of.

    Returns:
        The repaired submission.

    Raises:
        UsageError: the file cannot be used at all, or belongs to something else.
    """
    raw = read_notebook(path)
    if belonging(raw, assignment) == 0:
        raise UsageError(
            _("{path}: not the notebook of {assignment}: none of its tasks is in it").format(
                path=path, assignment=assignment.name
            )
        )
    return merge(raw, assignment)


def read_or_stand_in(path: Path, assignment: Assignment) -> Submission:
    """Read a submission; a file that cannot be used is stood in for, so that it gets a verdict all the same.

    Args:
        path: the student's file.
        assignment: what it should be a submission of.

    Returns:
        The repaired submission, or one without any work in it and with the reason.
    """
    try:
        return read_submission(path, assignment)
    except UsageError as error:
        return unreadable_submission(assignment, str(error).removeprefix(f"{path}: "))


def unreadable_submission(assignment: Assignment, reason: str) -> Submission:
    """Stand in for a submission that cannot be used.

    Args:
        assignment: what should have been submitted.
        reason: one line for the student.

    Returns:
        A submission without any work in it.
    """
    names = frozenset(cell.id for cell in assignment.cells if cell.kind in ("solution", "manual"))
    return Submission(
        cells=tuple(SubmittedCell(c.kind, _grade_id(c), c.cell_type, c.released, False) for c in assignment.cells),
        missing=names,
        unreadable=reason,
    )


def belonging(raw: list[RawCell], assignment: Assignment) -> int:
    """Count how many cells of an assignment can be found in a notebook, by id or by what they define.

    Args:
        raw: cells of some notebook.
        assignment: the assignment.

    Returns:
        Number of its solution, tests and manual cells that are there.
    """
    ids = {cell.grade_id for cell in raw}
    names = [cell.id for cell in assignment.cells if cell.kind in ("solution", "tests", "manual")]
    by_id = sum(name in ids for name in names)
    return by_id or sum(any(_defines(cell.source, name) for cell in raw if cell.cell_type == "code") for name in names)


def merge(raw: list[RawCell], assignment: Assignment) -> Submission:
    """Put a student's cells into the assignment.

    Locked and tests cells come from the course, in the student's order; solution, manual and own cells from the
    student. Copies of an answer cell run as they would in the notebook, except those that are still as released.

    Args:
        raw: cells as they were submitted.
        assignment: the assignment.

    Returns:
        The repaired submission.
    """
    repair = _Repair(assignment)
    identified = _identify(raw, repair)
    counting = _counting_copies(identified, assignment)
    for index, (grade_id, cell) in enumerate(identified):
        _place(repair, cell, grade_id, counts=counting.get(grade_id) == index)
    missing = [cell for cell in assignment.cells if cell.kind != "plain" and cell.id not in counting]
    for source_cell in missing:
        _insert_missing(repair, source_cell)
    answers = {cell.id: cell for cell in repair.cells if cell.kind in ("solution", "manual")}
    return Submission(
        cells=tuple(repair.cells),
        notes=tuple(repair.notes),
        missing=frozenset(c.id for c in missing if c.kind in ("solution", "manual")),
        unchanged=frozenset(n for n, c in answers.items() if _is_untouched(c, repair)),
    )


def identify(raw: list[RawCell], assignment: Assignment) -> tuple[list[str], list[str]]:
    """Tell which cell of the assignment each submitted cell is, without putting them together.

    Args:
        raw: cells as they were submitted.
        assignment: the assignment.

    Returns:
        For each cell its grade_id, "" for the student's own and for copies that do not count; and what was odd, one
        sentence each.
    """
    repair = _Repair(assignment)
    identified = _identify(raw, repair)
    counting = _counting_copies(identified, assignment)
    ids = [grade_id if counting.get(grade_id) == index else "" for index, (grade_id, _cell) in enumerate(identified)]
    for counted, (grade_id, _cell) in zip(ids, identified, strict=True):
        if grade_id and not counted:
            _note_copy(repair, assignment.by_id[grade_id])
    return ids, repair.notes


def _is_untouched(answer: SubmittedCell, repair: _Repair) -> bool:
    """Tell whether an answer is as released and the student did not answer in a cell of his own either."""
    elsewhere = (cell for cell in repair.cells if cell.kind == "plain" and cell.runs)
    return _same(answer.source, repair.assignment.by_id[answer.id].released) and not any(
        _defines(cell.source, answer.id) for cell in elsewhere
    )


def _grade_id(cell: SourceCell) -> str:
    return "" if cell.kind == "plain" else cell.id


def _same(a: str, b: str) -> bool:
    """Compare two texts without regard to trailing blanks and blank lines at the ends."""
    return [line.rstrip() for line in a.strip().splitlines()] == [line.rstrip() for line in b.strip().splitlines()]


def _defines(source: str, name: str) -> bool:
    """Tell whether code assigns or defines a name at its top level."""
    pattern = rf"^(?:def|class|async def)\s+{re.escape(name)}\b|^{re.escape(name)}\s*(?::[^=\n]+)?=(?!=)"
    return re.search(pattern, source, re.MULTILINE) is not None


def _identify(raw: list[RawCell], repair: _Repair) -> list[tuple[str, RawCell]]:
    """Find out which cell of the assignment each submitted cell is, with or without its metadata."""
    by_id = repair.assignment.by_id
    known = [(cell.grade_id if cell.grade_id in by_id else "", cell) for cell in raw]
    present = {grade_id for grade_id, _cell in known}
    lost = [cell for cell in repair.assignment.cells if cell.kind != "plain" and cell.id not in present]
    if not lost:
        return known
    found: list[tuple[str, RawCell]] = []
    for grade_id, cell in known:
        match = "" if grade_id else next((c.id for c in lost if _looks_like(cell, c)), "")
        found.append((grade_id or match, cell))
    for text in lost:
        _find_text(text, found, repair.assignment)
    if any(grade_id and not before for (grade_id, _c), (before, _d) in zip(found, known, strict=True)):
        repair.note(_("nbgrader's cell marks were missing; the cells were found by their content"))
    return found


def _find_text(text: SourceCell, found: list[tuple[str, RawCell]], assignment: Assignment) -> None:
    """Find a written text that lost its mark: the student's own cell right behind the course's prompt for it."""
    if text.kind != "manual" or any(grade_id == text.id for grade_id, _cell in found):
        return
    prompt = assignment.cells[assignment.cells.index(text) - 1]
    for index, (grade_id, cell) in enumerate(found[1:], start=1):
        ours = grade_id or any(_same(cell.source, other.released) for other in assignment.cells)
        if not ours and cell.cell_type == text.cell_type and _same(found[index - 1][1].source, prompt.released):
            found[index] = (text.id, cell)


def _looks_like(cell: RawCell, source_cell: SourceCell) -> bool:
    if _same(cell.source, source_cell.released):
        return bool(cell.source.strip())
    return source_cell.kind == "solution" and cell.cell_type == "code" and _defines(cell.source, source_cell.id)


def _counting_copies(identified: list[tuple[str, RawCell]], assignment: Assignment) -> dict[str, int]:
    """Choose the copy of each cell that counts: the last one that was worked on, else the last one."""
    counting: dict[str, int] = {}
    for worked_on in (False, True):
        for index, (grade_id, cell) in enumerate(identified):
            if grade_id and (not worked_on or not _same(cell.source, assignment.by_id[grade_id].released)):
                counting[grade_id] = index
    return counting


def _place(repair: _Repair, cell: RawCell, grade_id: str, counts: bool) -> None:
    """Add one submitted cell to the repaired notebook."""
    source_cell = repair.assignment.by_id.get(grade_id)
    if source_cell is None:
        repair.cells.append(SubmittedCell("plain", "", cell.cell_type, cell.source, cell.cell_type == "code"))
    elif source_cell.kind in ("locked", "tests"):
        _place_locked(repair, cell, source_cell, counts)
    else:
        _place_answer(repair, cell, source_cell, counts)


def _place_locked(repair: _Repair, cell: RawCell, source_cell: SourceCell, counts: bool) -> None:
    originals = (source_cell.released, source_cell.source)
    if not any(_same(cell.source, text) for text in originals) or cell.cell_type != source_cell.cell_type:
        repair.note(_("cell {id} was edited; the original was used").format(id=source_cell.id))
    if counts:
        repair.cells.append(_original(source_cell))
    else:
        _note_copy(repair, source_cell)


def _note_copy(repair: _Repair, source_cell: SourceCell) -> None:
    text = _("cell {id} stood there more than once; the last copy that was worked on counts")
    if source_cell.kind in ("locked", "tests"):
        text = _("cell {id} stood there more than once")
    repair.note(text.format(id=source_cell.id))


def _place_answer(repair: _Repair, cell: RawCell, source_cell: SourceCell, counts: bool) -> None:
    runs = source_cell.cell_type == "code"
    if counts:
        repair.cells.append(SubmittedCell(source_cell.kind, source_cell.id, source_cell.cell_type, cell.source, runs))
        return
    _note_copy(repair, source_cell)
    runs = runs and not _same(cell.source, source_cell.released)
    repair.cells.append(SubmittedCell("plain", "", source_cell.cell_type, cell.source, runs))


def _original(source_cell: SourceCell) -> SubmittedCell:
    runs = source_cell.cell_type == "code"
    return SubmittedCell(source_cell.kind, source_cell.id, source_cell.cell_type, source_cell.released, runs)


def _insert_missing(repair: _Repair, source_cell: SourceCell) -> None:
    """Put a deleted cell back behind the cell that precedes it in the assignment."""
    order = [cell.id for cell in repair.assignment.cells if cell.kind != "plain"]
    before = set(order[: order.index(source_cell.id)])
    position = max((i + 1 for i, cell in enumerate(repair.cells) if cell.id in before), default=0)
    repair.cells.insert(position, _stand_in(source_cell))
    repair.note(_("cell {id} was missing").format(id=source_cell.id))


def _stand_in(source_cell: SourceCell) -> SubmittedCell:
    """What takes the place of a deleted cell: the original, or for an answer nothing that could run."""
    if source_cell.kind in ("locked", "tests"):
        return _original(source_cell)
    text = _("(this cell was missing from the submission)")
    source = f"# {text}" if source_cell.cell_type == "code" else text
    return SubmittedCell(source_cell.kind, source_cell.id, source_cell.cell_type, source, False)


def task_of(cell: SubmittedCell) -> str:
    """Return the name of the task that a solution, tests or manual cell belongs to, else an empty string."""
    if cell.kind == "tests":
        return cell.id.removesuffix(TESTS_SUFFIX)
    return cell.id if cell.kind in ("solution", "manual") else ""
