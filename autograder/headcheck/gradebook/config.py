"""What a course's `nbgrader_config.py` switches on."""

from __future__ import annotations

from pathlib import Path

from traitlets.config import Config

from headcheck.course.build import RELEASE_PREPROCESSORS
from headcheck.course.config import find_course
from headcheck.course.converter import prepare_nbgrader
from headcheck.gradebook.links import copy_plain_files_only

SANITIZE_PREPROCESSORS = [
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.DeduplicateIds",
    "nbgrader.preprocessors.OverwriteKernelspec",
    "nbgrader.preprocessors.OverwriteCells",
    "nbgrader.preprocessors.CheckCellMetadata",
]

AUTOGRADE_PREPROCESSORS = [
    "headcheck.gradebook.execute.Execute",
    "nbgrader.preprocessors.IgnorePattern",
    "nbconvert.preprocessors.ClearMetadataPreprocessor",
    "nbgrader.preprocessors.LimitOutput",
    "headcheck.gradebook.scores.SaveAutoGrades",
    "nbgrader.preprocessors.AssignLatePenalties",
    "nbgrader.preprocessors.CheckCellMetadata",
]

FEEDBACK_PREPROCESSORS = ["nbgrader.preprocessors.GetGrades"]


def configure(config: Config, folder: Path | None = None) -> None:
    """Make nbgrader's own commands grade with headcheck.

    Args:
        config: the configuration object of `nbgrader_config.py` (`get_config()`).
        folder: the class folder; the working folder when None.
    """
    prepare_nbgrader()
    copy_plain_files_only()
    folder = folder or Path.cwd()
    config.GenerateAssignment.preprocessors = RELEASE_PREPROCESSORS
    config.Autograde.exporter_class = "headcheck.gradebook.exporter.SubmissionExporter"
    config.Autograde.sanitize_preprocessors = SANITIZE_PREPROCESSORS
    config.Autograde.autograde_preprocessors = AUTOGRADE_PREPROCESSORS
    config.GenerateFeedback.exporter_class = "headcheck.report.exporter.FeedbackExporter"
    config.GenerateFeedback.preprocessors = FEEDBACK_PREPROCESSORS
    if not (folder / "source").is_dir():
        # A class folder without notebooks of its own uses those of the course.
        config.CourseDirectory.source_directory = str(find_course(folder).root / "source")
