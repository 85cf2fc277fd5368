"""nbgrader's exporter for `generate_feedback`: turns the stored notebook into headcheck's feedback page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import HTMLExporter

from headcheck.course.config import find_course
from headcheck.report.collect import feedback_page
from headcheck.report.feedback import render_feedback


class FeedbackExporter(HTMLExporter):
    """Renders headcheck's page; a plain nbgrader notebook gets nbgrader's page, sanitized."""

    def from_notebook_node(self, nb: nbformat.NotebookNode, resources: Any = None, **kwargs: Any) -> tuple[str, Any]:
        """Convert an autograded notebook.

        Args:
            nb: the notebook as stored by autograde.
            resources: nbgrader's resources.
            kwargs: passed on.

        Returns:
            The HTML document and the resources.
        """
        if "headcheck" not in nb.metadata:
            self.sanitize_html = True
            return tuple(super().from_notebook_node(nb, resources=resources, **kwargs))
        nb, resources = self._preprocess(nb, self._init_resources(resources))
        resources["output_extension"] = ".html"
        folder = Path(self.parent.coursedir.root)
        return render_feedback(feedback_page(nb, resources, find_course(folder).name)), resources
