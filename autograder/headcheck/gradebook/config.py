"""What a course's `nbgrader_config.py` switches on."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from traitlets.config import Config
from traitlets.config.loader import ConfigFileNotFound, PyFileConfigLoader

from headcheck.course.converter import RELEASE_PREPROCESSORS
from headcheck.errors import UsageError
from headcheck.gradebook.courses import course_of
from headcheck.gradebook.mend import mend_nbgrader
from headcheck.i18n import _

CONFIG_FILE = "nbgrader_config.py"

SANITIZE_PREPROCESSORS = [
    "nbgrader.preprocessors.ClearOutput",
    "headcheck.gradebook.dropin.repair.DeduplicateIds",
    "nbgrader.preprocessors.OverwriteKernelspec",
    "headcheck.gradebook.dropin.repair.OverwriteCells",
    "headcheck.gradebook.dropin.disarm.DisarmMarkdown",
    "headcheck.gradebook.dropin.metadata.CheckCellMetadata",
]

AUTOGRADE_PREPROCESSORS = [
    "headcheck.gradebook.dropin.execute.Execute",
    "nbgrader.preprocessors.IgnorePattern",
    "nbconvert.preprocessors.ClearMetadataPreprocessor",
    "nbgrader.preprocessors.LimitOutput",
    "headcheck.gradebook.dropin.scores.SaveAutoGrades",
    "nbgrader.preprocessors.AssignLatePenalties",
    "headcheck.gradebook.dropin.metadata.CheckCellMetadata",
]

FEEDBACK_PREPROCESSORS = ["nbgrader.preprocessors.GetGrades", "headcheck.gradebook.plain.hidden_tests.HideHiddenTests"]

AUTOTESTS = "nbgrader.preprocessors.InstantiateTests"
"""Writes the tests behind `### AUTOTEST`; it starts a kernel, but only for a notebook that has some."""


def configure(config: Config, folder: Path | None = None) -> None:
    """Make nbgrader's own commands grade with headcheck.

    Args:
        config: the configuration object of `nbgrader_config.py` (`get_config()`).
        folder: the class folder; the working folder when None.
    """
    if "nbgrader" in sys.modules:  # else headcheck's own command reads this, and loads it when there is work for it
        mend_nbgrader()
    config.GenerateAssignment.preprocessors = [RELEASE_PREPROCESSORS[0], AUTOTESTS, *RELEASE_PREPROCESSORS[1:]]
    config.Autograde.exporter_class = "headcheck.gradebook.dropin.exporter.SubmissionExporter"
    config.Autograde.sanitize_preprocessors = SANITIZE_PREPROCESSORS
    config.Autograde.autograde_preprocessors = AUTOGRADE_PREPROCESSORS
    config.GenerateFeedback.exporter_class = "headcheck.report.exporter.FeedbackExporter"
    config.GenerateFeedback.preprocessors = FEEDBACK_PREPROCESSORS
    lend_notebooks(config, folder)


def lend_notebooks(config: Config, folder: Path | None) -> None:
    """Let a class folder without notebooks of its own use those of the course.

    Args:
        config: nbgrader's configuration.
        folder: the class folder; when None, the working folder if it is configured for headcheck. (A configuration in
            one of Jupyter's own folders is read for every course, whatever the working folder is.)
    """
    if folder is None:
        own = Path.cwd() / CONFIG_FILE
        if not own.is_file() or "headcheck" not in own.read_text(encoding="utf-8", errors="replace"):
            return
        folder = own.parent
    course = course_of(folder)
    if course.assignments and not (folder / "source").is_dir():
        config.CourseDirectory.source_directory = str(course.root / "source")


def load_config(folder: Path, check: Callable[[Config], None] | None = None) -> Config:
    """Read the class folder's `nbgrader_config.py`, or make do with headcheck's own settings.

    Args:
        folder: the class folder, as an absolute path.
        check: looks at what the file says before headcheck's own settings are added.

    Returns:
        nbgrader's configuration.

    Raises:
        UsageError: there is no such folder, or its configuration fails.
    """
    if not folder.is_dir():
        raise UsageError(_("{folder}: no such folder").format(folder=folder))
    try:
        config = PyFileConfigLoader(CONFIG_FILE, path=str(folder)).load_config()
    except ConfigFileNotFound:
        config = Config()
    except Exception as error:
        raise UsageError(f"{folder / CONFIG_FILE}: {type(error).__name__}: {error}") from error
    if check is not None:
        check(config)
    configure(config, folder)
    config.CourseDirectory.root = str(folder)
    return config
