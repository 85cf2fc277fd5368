"""nbgrader's Execute step, with the jail in place of a kernel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from nbgrader import preprocessors, utils

from headcheck.course.assignment import Assignment
from headcheck.course.submission import read_or_stand_in
from headcheck.errors import UsageError
from headcheck.gradebook.courses import headcheck_assignment
from headcheck.gradebook.dropin.desk import Desk, desk_for
from headcheck.gradebook.dropin.exporter import submitted_path
from headcheck.gradebook.notebooks import add_outputs, add_pictures, add_sentence, add_verdict
from headcheck.gradebook.plain.hidden_tests import has_hidden_tests
from headcheck.gradebook.plain.points import Points, points_of
from headcheck.gradebook.plain.reading import UNREADABLE
from headcheck.gradebook.plain.run import Outcome, PlainCell, PlainRun, run_plain
from headcheck.gradebook.plain.written import put_written
from headcheck.grading.verdict import CellOutput
from headcheck.i18n import _

PYTHON_KERNELS = ("python", "python3")

_told: set[str] = set()


class Execute(preprocessors.Execute):
    """Runs the cells in the jail; for headcheck's assignments it brings the verdict along."""

    def preprocess(
        self, nb: nbformat.NotebookNode, resources: dict[str, Any], km: Any = None
    ) -> tuple[nbformat.NotebookNode, dict[str, Any]]:
        """Run a notebook.

        Args:
            nb: the sanitized notebook; gets outputs.
            resources: nbgrader's resources; gets `headcheck`, the points of each test cell.
            km: ignored, there is no kernel.

        Returns:
            Both.

        Raises:
            UsageError: the notebook is not in Python.
            NoSuchKernel: its kernel does not exist.
        """
        self._check_kernel(nb)
        coursedir = self.parent.parent.coursedir
        assignment = headcheck_assignment(coursedir, resources["nbgrader"]["assignment"])
        nb.metadata["language_info"] = {"name": "python"}
        desk = desk_for(Path(coursedir.root))
        if assignment is None:
            resources["headcheck"] = self._grade_plain(nb, resources, desk)
        else:
            path = submitted_path(coursedir, resources)
            resources["headcheck"], resources["headcheck_untouched"] = self._grade(nb, assignment, desk, path)
        return nb, resources

    def _check_kernel(self, nb: nbformat.NotebookNode) -> None:
        """Refuse a kernel that does not exist, as nbgrader would, and one for another language."""
        name = self.kernel_name or nb.metadata.get("kernelspec", {}).get("name") or PYTHON_KERNELS[0]
        if name in PYTHON_KERNELS:
            return
        language = str(KernelSpecManager().get_kernel_spec(name).language)
        if language.lower() != "python":
            raise UsageError(
                _("kernel {name}: headcheck runs Python only, and this notebook is in {language}").format(
                    name=name, language=language
                )
            )

    def _grade(
        self, nb: nbformat.NotebookNode, assignment: Assignment, desk: Desk, path: Path
    ) -> tuple[dict[str, Points], set[str]]:
        """Grade a notebook of headcheck's own by its hidden graders; tell which answers nobody gave, too."""
        verdict = desk.verdict(path, assignment.name, self._own_timeout())
        add_verdict(nb, read_or_stand_in(path, assignment), verdict)
        tasks = zip(assignment.tasks, verdict.tasks, strict=True)
        points = {task.grade_id: Points(result.score) for task, result in tasks if result.state != "manual"}
        return points, verdict.untouched

    def _own_timeout(self) -> float | None:
        """Return the timeout if somebody configured one; else headcheck's assignments have the limits of the course."""
        set_by_someone = any("timeout" in self.config[name] for name in self.section_names() if name in self.config)
        return float(self.timeout) if set_by_someone and self.timeout and self.timeout > 0 else None

    def _grade_plain(self, nb: nbformat.NotebookNode, resources: dict[str, Any], desk: Desk) -> dict[str, Points]:
        """Run a plain nbgrader notebook, hidden tests and all, and tell the points of its test cells."""
        run = PlainRun()
        if UNREADABLE not in nb.metadata:
            cells = [self._plain_cell(i, cell) for i, cell in enumerate(nb.cells) if self._runs(cell)]
            self._say_what_hidden_cells_are_worth(cells, resources["nbgrader"]["assignment"])
            root, folder = Path(self.parent.parent.coursedir.root), Path(resources["metadata"]["path"]).resolve()
            run = run_plain(desk.plain_jail(root), cells, folder, desk.course.limits.submission_seconds)
            put_written(run.files, folder)
        add_outputs(nb, {index: self._shown(outcome) for index, outcome in run.outcomes.items()})
        add_pictures(nb, run.pictures)
        found = {}
        for index, cell in enumerate(nb.cells):
            if _is_test(cell):
                points = self._judge(nb, cell, run.outcomes.get(index))
                found[cell.metadata["nbgrader"]["grade_id"]] = points
                if points.reason:
                    student, grade_id = resources["nbgrader"]["student"], cell.metadata["nbgrader"]["grade_id"]
                    self.log.warning("%s, %s: %s", student, grade_id, points.reason)
        return found

    def _judge(self, nb: nbformat.NotebookNode, cell: nbformat.NotebookNode, outcome: Outcome | None) -> Points:
        maximum = float(cell.metadata["nbgrader"]["points"])
        points = points_of(cell.source, maximum, outcome, self._get_timeout(cell))
        if unreadable := nb.metadata.get(UNREADABLE):
            points = Points(0.0, _("The notebook could not be read: {reason}").format(reason=unreadable))
        if points.reason:
            add_sentence(cell, points.score, maximum, points.reason)
        return points

    def _plain_cell(self, index: int, cell: nbformat.NotebookNode) -> PlainCell:
        hidden = _is_test(cell) and has_hidden_tests(cell.source)
        return PlainCell(index, cell.source, self._get_timeout(cell), _is_test(cell), hidden)

    def _runs(self, cell: nbformat.NotebookNode) -> bool:
        """Whether a cell runs; a student may skip his own cells, not one of the course's."""
        skipped = "nbgrader" not in cell.metadata and self.skip_cells_with_tag in cell.metadata.get("tags", [])
        return cell.cell_type == "code" and bool(cell.source.strip()) and not skipped

    def _shown(self, outcome: Outcome) -> CellOutput:
        """Turn a cell's end into what stands below it; a late one gets nbgrader's own error."""
        if outcome.fate != "timeout":
            return outcome.output
        late = self.error_on_timeout or {"ename": "CellTimeoutError", "evalue": "", "traceback": []}
        traceback = "\n".join(late["traceback"]) or late["ename"]
        return CellOutput(outcome.output.stdout, outcome.output.stderr, "", late["ename"], late["evalue"], traceback)

    def _say_what_hidden_cells_are_worth(self, cells: list[PlainCell], assignment: str) -> None:
        """Say once per process that such tests stand in the student's own."""
        if any(cell.hidden for cell in cells) and assignment not in _told:
            _told.add(assignment)
            text = _(
                "{assignment}: its hidden tests stand in notebook cells, so they run inside the student's process, "
                "where student code can read and deceive them; graders in autograder/hidden are out of its reach"
            )
            self.log.warning("%s", text.format(assignment=assignment))


def _is_test(cell: nbformat.NotebookNode) -> bool:
    return bool(utils.is_grade(cell) and not utils.is_solution(cell) and cell.cell_type == "code")
