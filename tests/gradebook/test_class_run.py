"""The class folder: who handed in what, what still stands, and what may not stay in the gradebook."""

import shutil

import pytest
from headcheck.course.converter import prepare_nbgrader
from headcheck.errors import UsageError
from headcheck.gradebook.classes.places import places_of
from headcheck.gradebook.classes.run import ClassRun, refuse_mixture
from headcheck.gradebook.rows import clear_scores
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory

pytestmark = pytest.mark.filterwarnings("ignore:Object of type")  # nbgrader's own use of its database


class Deaf:
    """A watch that nobody reads."""

    def warn(self, text):
        raise AssertionError(text)


@pytest.fixture
def class_run(tiny, tmp_path):
    folder = tmp_path / "class"
    folder.mkdir()

    def make(config=None, name=None):
        if config is not None:
            (folder / "nbgrader_config.py").write_text(config)
        return ClassRun(folder, tiny.course, name or tiny.name, Deaf())

    make.folder = folder
    return make


def hand_in(folder, student, assignment, file=True):
    path = folder / "submitted" / student / assignment / f"{assignment}.ipynb"
    path.parent.mkdir(parents=True)
    if file:
        path.write_text("{}")
    return path


def test_submissions_are_listed_by_the_names_of_the_students(class_run, tiny):
    for student in ("zoe", "ann", "çağrı"):
        hand_in(class_run.folder, student, tiny.name)
    hand_in(class_run.folder, "bob", "other_assignment")
    found = class_run().submissions()
    assert [one.student for one in found] == ["ann", "zoe", "çağrı"]
    assert found[0].path == class_run.folder / "submitted" / "ann" / tiny.name / f"{tiny.name}.ipynb"


def test_a_folder_without_a_file_is_a_submission_too(class_run, tiny):
    hand_in(class_run.folder, "ann", tiny.name, file=False)
    assert [one.student for one in class_run().submissions()] == ["ann"]


def test_one_student_is_found_by_the_exact_name(class_run, tiny):
    for student in ("ann", "a*", "[ann]"):
        hand_in(class_run.folder, student, tiny.name)
    for student in ("ann", "a*", "[ann]"):
        assert [one.student for one in class_run().submissions(student)] == [student]


@pytest.mark.parametrize("student", [None, "nobody", "*"])
def test_no_submissions_are_said_with_the_place_that_was_searched(class_run, student):
    (class_run.folder / "submitted").mkdir()
    with pytest.raises(UsageError, match=r"no submissions found at .*submitted"):
        class_run().submissions(student)


def test_a_folder_that_does_not_exist_is_said(tiny, tmp_path):
    with pytest.raises(UsageError, match="no such folder"):
        ClassRun(tmp_path / "typo", tiny.course, tiny.name, Deaf())


def test_an_unknown_assignment_is_said(class_run):
    with pytest.raises(UsageError, match="'typo' is not an assignment"):
        class_run(name="typo")


@pytest.mark.parametrize("config", ["1 / 0", "def", "import no_such_module"])
def test_a_broken_configuration_is_named(class_run, config):
    with pytest.raises(UsageError, match=r"nbgrader_config\.py: \w+Error"):
        class_run(config)


SETTINGS = """
c = get_config()
c.CourseDirectory.submitted_directory = 'handed_in'
c.CourseDirectory.directory_structure = '{student_id}/{nbgrader_step}/{assignment_id}'
c.CourseDirectory.student_id_exclude = 'zoe,eve'
"""


def test_an_instructors_own_folders_are_used(class_run, tiny):
    for student in ("ann", "zoe"):
        path = class_run.folder / student / "handed_in" / tiny.name / f"{tiny.name}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text("{}")
    assert [one.student for one in class_run(SETTINGS).submissions()] == ["ann"]


@pytest.mark.parametrize("config", ["", SETTINGS, "c = get_config()\nc.CourseDirectory.db_url = 'sqlite:////x.db'\n"])
def test_places_are_those_of_nbgrader(class_run, config):
    run = class_run(config)
    places, theirs = places_of(run.config), CourseDirectory(config=run.config)
    assert places.database == theirs.db_url
    for step in ("submitted", "autograded", "feedback", "source"):
        directory = getattr(theirs, f"{step}_directory")
        assert getattr(places, step) == directory
        assert places.folder(directory, "ann", "work") == theirs.format_path(directory, "ann", "work")


@pytest.mark.parametrize(
    "setting",
    [
        "Autograde.autograde_preprocessors = ['nbgrader.preprocessors.Execute']",
        "GenerateFeedback.preprocessors = []",
        "Autograde.post_convert_hook = 'os.getcwd'",
        "BaseConverter.pre_convert_hook = 'os.getcwd'",
    ],
)
def test_steps_that_would_be_left_out_are_refused_by_name(class_run, setting):
    config = "from headcheck.gradebook.config import configure\nc = get_config()\nconfigure(c)\n"
    with pytest.raises(UsageError, match=setting.split(" = ")[0]):
        class_run(f"{config}c.{setting}\n")


def test_verdicts_of_different_versions_are_not_mixed():
    refuse_mixture("work", [{"torch": "2.12"}, {"torch": "2.12"}])
    with pytest.raises(UsageError, match=r"work: .*torch 2\.12 / 2\.13"):
        refuse_mixture("work", [{"torch": "2.12"}, {"torch": "2.13"}])


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A database with one graded submission; making its tables takes two seconds."""
    prepare_nbgrader()
    path = tmp_path_factory.mktemp("gradebook") / "gradebook.db"
    with Gradebook(f"sqlite:///{path}") as book:
        book.add_assignment("work")
        book.add_notebook("n", "work")
        for name in ("a_tests", "b_tests"):
            book.add_grade_cell(name, "n", "work", max_score=2, cell_type="code")
        book.add_student("ann")
        book.add_submission("work", "ann")
        grade = book.find_grade("a_tests", "n", "work", "ann")
        grade.auto_score, grade.needs_manual_grade = 2, False
        grade = book.find_grade("b_tests", "n", "work", "ann")
        grade.auto_score, grade.manual_score, grade.needs_manual_grade = 1, 1.5, False
        book.db.commit()
    return path


@pytest.fixture
def gradebook(template, tmp_path):
    with Gradebook(f"sqlite:///{shutil.copy(template, tmp_path)}") as book:
        yield book


def grades(book, student):
    found = [book.find_grade(name, "n", "work", student) for name in ("a_tests", "b_tests")]
    return [(grade.auto_score, grade.manual_score, grade.needs_manual_grade) for grade in found]


def test_automatic_scores_are_taken_back_and_those_of_a_person_stay(gradebook):
    clear_scores(gradebook, "work", "ann")
    assert grades(gradebook, "ann") == [(None, None, True), (None, 1.5, True)]


def test_taking_back_from_someone_unknown_does_nothing(gradebook):
    clear_scores(gradebook, "work", "nobody")
    clear_scores(gradebook, "no_such_work", "ann")
    assert [student.id for student in gradebook.students] == ["ann"]
