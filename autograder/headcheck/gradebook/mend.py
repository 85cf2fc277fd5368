"""Loads nbgrader, which takes a second, and changes in it what cannot be configured."""

from __future__ import annotations

from headcheck.course.converter import prepare_nbgrader


def mend_nbgrader() -> None:
    """Make nbgrader safe for submissions that hold links, and quick and quiet with databases."""
    from headcheck.gradebook.database import accept_courses_without_a_name
    from headcheck.gradebook.engines import share_engines
    from headcheck.gradebook.links import copy_plain_files_only

    prepare_nbgrader()
    copy_plain_files_only()
    accept_courses_without_a_name()
    share_engines()
