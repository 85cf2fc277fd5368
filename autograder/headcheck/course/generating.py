"""Has nbgrader's own `generate_assignment` make a release version, or enter an assignment in a gradebook."""

from __future__ import annotations

import tempfile

from nbgrader.converters import GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from headcheck.course.config import Course
from headcheck.course.converter import RELEASE_PREPROCESSORS, run_converter
from headcheck.i18n import _


def enter_assignment(config: Config, course: Course, assignment: str) -> None:
    """Enter an assignment in a gradebook, or bring it up to date, by nbgrader's own `generate_assignment`.

    Args:
        config: nbgrader's configuration of the class folder.
        course: the course, which holds the notebook with answers.
        assignment: the assignment.

    Raises:
        UsageError: nbgrader refused; cells cannot be added or removed once there are submissions.
    """
    with tempfile.TemporaryDirectory(prefix="headcheck-release-") as folder:
        config = Config(config)
        config.CourseDirectory.source_directory = str(course.root / "source")
        config.CourseDirectory.release_directory = folder
        generate(config, assignment)


def generate(config: Config, assignment: str) -> None:
    """Run `generate_assignment`, with our stubs and without a kernel.

    Args:
        config: nbgrader's configuration; folders and database are its own.
        assignment: the assignment.

    Raises:
        UsageError: nbgrader refused.
    """
    config.CourseDirectory.assignment_id = assignment
    config.GenerateAssignment.force = True
    config.GenerateAssignment.preprocessors = RELEASE_PREPROCESSORS
    converter = GenerateAssignment(coursedir=CourseDirectory(config=config), config=config)
    run_converter(converter, _("{assignment}: nbgrader cannot make the release version").format(assignment=assignment))
