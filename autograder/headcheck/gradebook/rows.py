"""What both nbgrader's steps and a class run write into rows of the gradebook; it loads no torch."""

from __future__ import annotations

from nbgrader.api import Gradebook, MissingEntry

NO_RESPONSE = "No response."
"""nbgrader's remark on an answer that is as it was released."""


def clear_scores(gradebook: Gradebook, assignment: str, student: str, notebook: str | None = None) -> None:
    """Take back automatic scores, so that a run that fails leaves none of an earlier run standing.

    Args:
        gradebook: the open gradebook.
        assignment: the assignment.
        student: the student.
        notebook: only of this notebook.
    """
    try:
        submission = gradebook.find_submission(assignment, student)
    except MissingEntry:
        return
    for row in submission.notebooks:
        if notebook in (None, row.name):
            row.late_submission_penalty = None
            for grade in row.grades:
                grade.auto_score, grade.needs_manual_grade = None, True
    gradebook.db.commit()
