"""Grades a whole class: every submission gets a verdict, the gradebook its points, every student feedback."""

from __future__ import annotations

import glob
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import Autograde, GenerateFeedback
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config
from traitlets.config.loader import ConfigFileNotFound, PyFileConfigLoader

from headcheck.course.build import enter_assignment
from headcheck.course.config import Course
from headcheck.course.converter import run_converter
from headcheck.errors import UsageError
from headcheck.gradebook.config import configure
from headcheck.gradebook.desk import Desk, desk_for
from headcheck.grading.grade import Grader, with_grader
from headcheck.grading.verdict import Verdict
from headcheck.i18n import _

CONFIG_FILE = "nbgrader_config.py"


@dataclass(frozen=True)
class Handed:
    """One submission as it lies in the class folder."""

    student: str
    path: Path
    """`submitted/<student>/<assignment>/<assignment>.ipynb`; it need not exist."""


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
        return [Handed(found.parent.name, found / f"{self.assignment}.ipynb") for found in folders]

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
        desk = desk_for(self.folder)
        result = ClassResult(self.assignment, database=self.coursedir.db_url)
        result.feedback = Path(self.coursedir.format_path(self.coursedir.feedback_directory, ".", "."))
        enter_assignment(self.config, self.course, self.assignment)

        def grade_all(grader: Grader) -> None:
            for one in handed:
                verdict = grader.grade_file(one.path)
                result.verdicts[one.student] = verdict
                each(one, verdict)

        with_grader(self.course, self.assignment, desk.jail, grade_all)
        self._enter(handed, desk, result)
        return result

    def _enter(self, handed: list[Handed], desk: Desk, result: ClassResult) -> None:
        """Let nbgrader store notebooks and points and write feedback; what has no file is entered directly."""
        for one in handed:
            desk.put(one.path, result.verdicts[one.student])
        with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook:
            for one in handed:
                clear_scores(gradebook, self.assignment, one.student)
        with_file = [one for one in handed if one.path.is_file()]
        if with_file:
            for converter in (Autograde, GenerateFeedback):
                self._convert(converter, handed, result)
        with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook:
            for one in handed:
                if one not in with_file:
                    enter_nothing(gradebook, self.assignment, one.student)
                elif not self._stored(one).is_file():
                    clear_scores(gradebook, self.assignment, one.student)
                    result.not_entered.setdefault(one.student, _("nbgrader did not store the notebook"))

    def _stored(self, one: Handed) -> Path:
        directory = self.coursedir.autograded_directory
        return Path(self.coursedir.format_path(directory, one.student, self.assignment)) / one.path.name

    def _convert(self, converter: type, handed: list[Handed], result: ClassResult) -> None:
        config = Config(self.config)
        config.CourseDirectory.assignment_id = self.assignment
        config.CourseDirectory.student_id = glob.escape(handed[0].student) if len(handed) == 1 else "*"
        config[converter.__name__].force = True
        try:
            run_converter(converter(coursedir=CourseDirectory(config=config), config=config), converter.__name__)
        except UsageError as error:
            for one in handed:
                if not self._stored(one).is_file():
                    result.not_entered[one.student] = str(error)


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


def enter_nothing(gradebook: Gradebook, assignment: str, student: str) -> None:
    """Enter a submission without a usable notebook: no points, nothing to read.

    Args:
        gradebook: the open gradebook.
        assignment: the assignment.
        student: the student; entered when new.
    """
    gradebook.update_or_create_student(student)
    submission = gradebook.update_or_create_submission(assignment, student)
    for notebook in submission.notebooks:
        for grade in notebook.grades:
            grade.auto_score, grade.needs_manual_grade = 0, False
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
