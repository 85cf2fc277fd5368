"""The one call that stands in the hidden region of a test cell, and why it never runs."""

from headcheck.i18n import _


def grade(task: str) -> None:
    """Mark a test cell as graded by headcheck; refuse to run as ordinary code.

    headcheck's preprocessors recognise the cell and never run this line. A kernel that does run it is grading without
    the hidden tests, so it must fail: points may never be given because the tests were silently absent.

    Args:
        task: name of the task whose hidden tests stand behind the cell.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError(
        _(
            "task {task!r}: the hidden tests were not run, because this notebook was executed by a plain kernel. "
            "Grade with `headcheck grade`, or keep headcheck's nbgrader_config.py in the course folder."
        ).format(task=task)
    )
