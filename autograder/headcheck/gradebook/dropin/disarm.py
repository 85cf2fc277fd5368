"""nbgrader step that makes the Markdown of students harmless before anybody looks at it in a browser."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import nbformat
from nbgrader import preprocessors, utils

from headcheck.gradebook.markdown import harmless


class DisarmMarkdown(preprocessors.NbGraderPreprocessor):
    """Breaks up HTML and links in what students wrote; the course's own texts stay as they are."""

    def preprocess(
        self, nb: nbformat.NotebookNode, resources: dict[str, Any]
    ) -> tuple[nbformat.NotebookNode, dict[str, Any]]:
        """Clean a repaired notebook in place.

        Args:
            nb: the notebook, its cells in order.
            resources: nbgrader's resources.

        Returns:
            Both.
        """
        ids, coursedir = resources["nbgrader"], self.parent.parent.coursedir
        folder = coursedir.format_path(coursedir.source_directory, ".", ids["assignment"])
        ours = _texts_of(Path(folder) / f"{ids['notebook']}.ipynb")
        for cell in nb.cells:
            if cell.cell_type != "code" and cell.source not in ours and not _is_ours(cell):
                cell.source = harmless(cell.source, cell.get("attachments", {}))
        return nb, resources


def _is_ours(cell: nbformat.NotebookNode) -> bool:
    """Whether a marked cell holds the course's text: it is locked, or an answer as it was released."""
    if "grade_id" not in cell.metadata.get("nbgrader", {}):
        return False
    return bool(utils.is_locked(cell)) or cell.metadata["nbgrader"].get("checksum") == utils.compute_checksum(cell)


def _texts_of(path: Path) -> frozenset[str]:
    return _read_texts(path, path.stat().st_mtime_ns) if path.is_file() else frozenset()


@functools.lru_cache(maxsize=8)
def _read_texts(path: Path, changed: int) -> frozenset[str]:
    """Read the texts of a notebook of the course; `changed` makes an edited one be read again."""
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        return frozenset("".join(cell["source"]) for cell in cells if cell["cell_type"] != "code")
    except (OSError, ValueError, KeyError, TypeError):
        return frozenset()
