"""Grades a whole class: every submission gets a verdict, the gradebook its points, every student feedback."""

from __future__ import annotations

import glob
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import Autograde, GenerateFeedback
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config
from traitlets.config.loader import ConfigFileNotFound, PyFileConfigLoader

from headcheck.course.build import enter_assignment
from headcheck.course.config import Course
from headcheck.course.converter import run_converter
from headcheck.course.submission import read_or_stand_in, unreadable_submission
from headcheck.errors import UsageError
from headcheck.gradebook.config import configure
from headcheck.gradebook.desk import desk_for
from headcheck.gradebook.staging import Handed, Staged, find_handed, stage
from headcheck.grading.grade import Grader, with_grader
from headcheck.grading.verdict import Verdict
from headcheck.i18n import _

CONFIG_FILE = "nbgrader_config.py"


@dataclass
class ClassResult:
    """What came of grading one assignment of a class."""

    assignment: str
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    """Student -> verdict."""
    not_entered: dict[str, str] = field(default_factory=dict)
    """Student -> why the gradebook has no score; a failed run leaves no old score standing."""
    database: str = ""
    feedback: Path = Path()


class ClassRun:
    """One run over the submissions of an assignment in a class folder."""

    def __init__(self, folder: Path, course: Course, assignment: str) -> None:
        """Prepare.

        Args:
            folder: class folder with `submitted/`.
            course: the course.
            assignment: the assignment.

        Raises:
            UsageError: the folder or its configuration cannot be used.
        """
        self.folder, self.course, self.assignment = folder.resolve(), course, course.require(assignment)
        self.config = _load_config(self.folder)
        self.coursedir = CourseDirectory(config=self.config)

    def submissions(self, student: str | None = None) -> list[Handed]:
        """List the submissions.

        Args:
            student: only this one.

        Returns:
            One entry per student who handed something in, in the order of their names.

        Raises:
            UsageError: there are none.
        """
        pattern = self.coursedir.format_path(
            glob.escape(self.coursedir.submitted_directory), glob.escape(student) if student else "*", self.assignment
        )
        folders = sorted(Path(found) for found in glob.glob(pattern) if Path(found).is_dir())
        if not folders:
            raise UsageError(_("no submissions found at {pattern}").format(pattern=pattern))
        return [find_handed(found, self.assignment) for found in folders]

    def grade(self, handed: list[Handed], each: Callable[[Handed, Verdict], None]) -> ClassResult:
        """Grade submissions, enter the points, write feedback.

        Args:
            handed: the submissions.
            each: called after each verdict, for progress.

        Returns:
            The verdicts, and what could not be entered.

        Raises:
            JailUnavailable: the jail broke down; nothing was entered.
        """
        result = ClassResult(self.assignment, database=self.coursedir.db_url)
        result.feedback = Path(self.coursedir.format_path(self.coursedir.feedback_directory, ".", "."))
        enter_assignment(self.config, self.course, self.assignment)
        with tempfile.TemporaryDirectory(prefix="headcheck-staging-") as folder:
            staged = [stage(one, Path(folder), self.assignment) for one in handed]
            self._judge(staged, result, each)
            self._enter(staged, Path(folder), result)
        return result

    def _judge(self, staged: list[Staged], result: ClassResult, each: Callable[[Handed, Verdict], None]) -> None:
        desk = desk_for(self.folder)

        def grade_all(grader: Grader) -> None:
            for one in staged:
                verdict = _verdict(grader, one)
                result.verdicts[one.handed.student] = verdict
                desk.put(one.path, verdict)
                each(one.handed, verdict)

        with_grader(self.course, self.assignment, desk.jail, grade_all)

    def _enter(self, staged: list[Staged], submitted: Path, result: ClassResult) -> None:
        """Let nbgrader store notebooks and points and write feedback."""
        with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook:
            for one in staged:
                clear_scores(gradebook, self.assignment, one.handed.student)
        errors = [self._convert(converter, staged, submitted) for converter in (Autograde, GenerateFeedback)]
        reason = "; ".join(error for error in errors if error) or _("nbgrader did not store the notebook")
        lost = [one.handed.student for one in staged if not self._stored(one).is_file()]
        with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook:
            for student in lost:
                clear_scores(gradebook, self.assignment, student)
                result.not_entered[student] = reason

    def _stored(self, one: Staged) -> Path:
        directory = self.coursedir.autograded_directory
        return Path(self.coursedir.format_path(directory, one.handed.student, self.assignment)) / one.path.name

    def _convert(self, converter: type, staged: list[Staged], submitted: Path) -> str:
        """Run one of nbgrader's converters over the staged submissions; return its errors."""
        config = Config(self.config)
        config.CourseDirectory.assignment_id = self.assignment
        config.CourseDirectory.submitted_directory = str(submitted)
        config.CourseDirectory.student_id = glob.escape(staged[0].handed.student) if len(staged) == 1 else "*"
        config[converter.__name__].force = True
        try:
            run_converter(converter(coursedir=CourseDirectory(config=config), config=config), converter.__name__)
        except UsageError as error:
            return str(error)
        return ""


def _verdict(grader: Grader, one: Staged) -> Verdict:
    """Grade a staged submission under the name of the file that was handed in."""
    if one.unusable:
        return grader.grade(unreadable_submission(grader.assignment, one.unusable), str(one.handed.path))
    verdict = grader.grade(read_or_stand_in(one.path, grader.assignment), str(one.handed.path))
    return replace(verdict, notes=(one.handed.note, *verdict.notes)) if one.handed.note else verdict


def clear_scores(gradebook: Gradebook, assignment: str, student: str) -> None:
    """Take back automatic scores, so that a run that fails leaves none of an earlier run standing.

    Args:
        gradebook: the open gradebook.
        assignment: the assignment.
        student: the student.
    """
    try:
        submission = gradebook.find_submission(assignment, student)
    except MissingEntry:
        return
    for notebook in submission.notebooks:
        for grade in notebook.grades:
            grade.auto_score, grade.needs_manual_grade = None, True
    gradebook.db.commit()


def _load_config(folder: Path) -> Config:
    """Read the class folder's `nbgrader_config.py`, or make do with headcheck's own settings."""
    if not folder.is_dir():
        raise UsageError(_("{folder}: no such folder").format(folder=folder))
    try:
        config = PyFileConfigLoader(CONFIG_FILE, path=str(folder)).load_config()
    except ConfigFileNotFound:
        config = Config()
    except Exception as error:
        raise UsageError(f"{folder / CONFIG_FILE}: {type(error).__name__}: {error}") from error
    configure(config, folder)
    config.CourseDirectory.root = str(folder)
    return config
