"""nbgrader's check of the cells' metadata, done once for what all students have in common."""

from __future__ import annotations

import json
from typing import Any

import nbformat
from nbgrader import preprocessors

_valid: set[str] = set()


class CheckCellMetadata(preprocessors.CheckCellMetadata):
    """Checks like nbgrader's step, but leaves out a notebook all of whose marks were found valid before."""

    def preprocess(
        self, nb: nbformat.NotebookNode, resources: dict[str, Any]
    ) -> tuple[nbformat.NotebookNode, dict[str, Any]]:
        """Check a notebook.

        Args:
            nb: the notebook.
            resources: nbgrader's resources.

        Returns:
            Both.

        Raises:
            ValidationError: as nbgrader's step.
        """
        marks = [_key(cell) for cell in nb.cells if "nbgrader" in cell.metadata]
        ids = [cell.metadata["nbgrader"].get("grade_id") for cell in nb.cells if "nbgrader" in cell.metadata]
        named = [grade_id for grade_id in ids if grade_id]
        if len(set(named)) < len(named) or not _valid.issuperset(marks):
            nb, resources = super().preprocess(nb, resources)
            _valid.update(marks)
        return nb, resources


def _key(cell: nbformat.NotebookNode) -> str:
    return json.dumps([cell.cell_type, cell.metadata["nbgrader"]], sort_keys=True)
