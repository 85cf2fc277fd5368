"""Runs a plain nbgrader notebook in the jail, hidden tests and all: cell by cell, each with a deadline."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from headcheck.gradebook.plain.pictures import draws, fetch_pictures
from headcheck.gradebook.plain.proof import Proof
from headcheck.gradebook.plain.written import collect_written
from headcheck.grading.verdict import CellOutput
from headcheck.i18n import _
from headcheck.jail.client import CellResult, Child, Jail

UNLIMITED_S = 3600.0
"""What a cell gets when nbgrader's timeout is None: an hour, since a class must come to its end."""
SPARE_S = 0.5
"""The jail interrupts a cell half a second before it would kill it; the cell itself gets all of its time."""
RERUN_S = 1.0
"""What a cell that ran into its deadline gets when it runs again for its definitions."""
MAX_RESTARTS = 10
MAX_FILES = 500
"""With more files or folders beside the notebook than this none of them is shown to it: each needs a mount."""

PROLOGUE = """
import sys
sys.path.insert(0, "")
get_ipython().register_magic_function(lambda line: None, "line", "matplotlib")
del sys
"""
"""A module that lies beside the notebook can be imported, as in Jupyter; figures stay open until they are fetched."""

Fate = Literal["ok", "error", "timeout", "died", "not run", "replaced"]
"""`replaced`: the notebook's own code kept a test cell from running."""


@dataclass(frozen=True)
class PlainCell:
    """One code cell that is to run."""

    index: int
    """Its place in the notebook."""
    source: str
    timeout_s: float | None
    graded: bool = False
    """Whether it is a test cell; of those the jail must prove that they ran."""
    hidden: bool = False
    """Whether it holds hidden tests."""


@dataclass(frozen=True)
class Outcome:
    """How one cell ended, by the account of the jail."""

    fate: Fate
    output: CellOutput
    reason: str = ""
    """For a dead or skipped cell: why."""


@dataclass
class PlainRun:
    """What came of running a notebook."""

    outcomes: dict[int, Outcome] = field(default_factory=dict)
    """Index of a cell -> how it ended."""
    pictures: dict[int, tuple[bytes, ...]] = field(default_factory=dict)
    """Index of a cell -> the figures that it drew, as PNG."""
    files: dict[str, bytes] = field(default_factory=dict)
    """What the notebook had written to its folder before the first hidden test ran."""
    restarts: int = 0


def run_plain(jail: Jail, cells: Sequence[PlainCell], folder: Path, patience_s: float) -> PlainRun:
    """Run the cells of a notebook in order; an error does not stop the later ones.

    A cell that kills the process is left out when the others run again in a new one, so that it costs no other points.

    Args:
        jail: where the process comes from.
        cells: the code cells.
        folder: its files, but no notebook, can be read by the cells.
        patience_s: no process is started again later than this.

    Returns:
        How each cell ended, and the files that were written.

    Raises:
        JailUnavailable: the jail broke down; this says nothing about the submission.
    """
    run, deadly, slow = PlainRun(), set[int](), set[int]()
    until = time.monotonic() + patience_s
    jail.offer_files(folder if len(os.listdir(folder)) <= MAX_FILES else None)
    try:
        while True:
            with jail.spawn() as child:
                died_at = _run_once(child, cells, run, deadly, slow)
            if died_at is None:
                return run
            if run.restarts == MAX_RESTARTS or time.monotonic() > until:
                _give_up(cells, run, died_at)
                return run
            deadly.add(died_at)
            run.restarts += 1
    finally:
        jail.withdraw_files(folder)


def _run_once(child: Child, cells: Sequence[PlainCell], run: PlainRun, deadly: set[int], slow: set[int]) -> int | None:
    """Run the cells in one process; return the index of the cell in which it died."""
    child.run_cell(0, PROLOGUE, RERUN_S)
    collected = drawing = False
    for cell in cells:
        if cell.index in deadly:
            continue
        if cell.hidden and not collected:  # later, files could hold hidden tests
            run.files, collected = collect_written(child), True
        seconds = cell.timeout_s or UNLIMITED_S
        again = cell.index in slow
        proof = Proof(cell.source) if cell.graded else None
        source = proof.source if proof else cell.source
        result = child.run_cell(cell.index + 1, source, (min(seconds, RERUN_S) if again else seconds) + SPARE_S)
        if not (again and result.timed_out and child.alive):
            run.outcomes[cell.index] = _outcome(result, proven=proof is None or not result.ok or proof.holds(child))
        if not child.alive:
            return cell.index
        if result.timed_out:
            slow.add(cell.index)
        drawing = drawing or draws(cell.source)
        if drawing and (pictures := fetch_pictures(child)):
            run.pictures[cell.index] = pictures
    if not collected:
        run.files = collect_written(child)
    return None


def _outcome(result: CellResult, proven: bool) -> Outcome:
    output = CellOutput(result.stdout, result.stderr, result.result)
    if result.timed_out:
        return Outcome("timeout", output)
    if result.died is not None:
        return Outcome("died", _failed(output, _("process ended"), _(result.died)), _(result.died))
    if result.error is not None:
        error = result.error
        return Outcome("error", _failed(output, error.type_name, error.message, error.traceback))
    return Outcome("ok" if proven else "replaced", output)


def _failed(output: CellOutput, name: str, message: str, traceback: str = "") -> CellOutput:
    return CellOutput(output.stdout, output.stderr, "", name, message, traceback or message)


def _give_up(cells: Sequence[PlainCell], run: PlainRun, died_at: int) -> None:
    """Say of the cells behind the last one that killed its process that they did not run."""
    reason = _("the notebook's process had ended too often")
    for cell in cells:
        if cell.index > died_at:
            run.outcomes[cell.index] = Outcome("not run", _failed(CellOutput(), _("not run"), reason), reason)
