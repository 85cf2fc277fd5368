"""The class folder: who handed in what, and what may not stay in the gradebook."""

import shutil

import pytest
from headcheck.errors import UsageError
from headcheck.gradebook.class_run import ClassRun, clear_scores
from headcheck.gradebook.desk import desk_for
from nbgrader.api import Gradebook

pytestmark = pytest.mark.filterwarnings("ignore:Object of type")  # nbgrader's own use of its database


@pytest.fixture
def class_run(tiny, tmp_path):
    folder = tmp_path / "class"
    folder.mkdir()

    def make(config=None, name=None):
        if config is not None:
            (folder / "nbgrader_config.py").write_text(config)
        return ClassRun(folder, tiny.course, name or tiny.name)

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
        ClassRun(tmp_path / "typo", tiny.course, tiny.name)


def test_an_unknown_assignment_is_said(class_run):
    with pytest.raises(UsageError, match="'typo' is not an assignment"):
        class_run(name="typo")


@pytest.mark.parametrize("config", ["1 / 0", "def", "import no_such_module"])
def test_a_broken_configuration_is_named(class_run, config):
    with pytest.raises(UsageError, match=r"nbgrader_config\.py: \w+Error"):
        class_run(config)


def test_an_instructors_own_settings_are_kept_and_the_grading_is_headchecks(class_run):
    run = class_run("c = get_config()\nc.CourseDirectory.submitted_directory = 'handed_in'\n")
    assert run.coursedir.submitted_directory == "handed_in"
    assert run.coursedir.root == str(class_run.folder)
    assert run.config.Autograde.exporter_class == "headcheck.gradebook.exporter.SubmissionExporter"
    assert "headcheck.gradebook.scores.SaveAutoGrades" in run.config.Autograde.autograde_preprocessors


def test_one_course_has_one_desk_and_no_jail_before_it_is_needed(tiny):
    desk = desk_for(tiny.root)
    assert desk_for(tiny.root) is desk
    assert desk._jail is None


def test_a_verdict_that_lies_ready_is_given_out_once_and_for_its_own_file(tiny, tmp_path, monkeypatch):
    desk = desk_for(tiny.root)
    monkeypatch.setattr("headcheck.gradebook.desk.with_grader", lambda *_arguments: "made now")
    monkeypatch.setattr(type(desk), "jail", None)
    desk.put(tmp_path / "a.ipynb", "ready")
    assert desk.verdict(tmp_path / "b.ipynb", tiny.name) == "made now"
    assert desk.verdict(tmp_path / "x" / ".." / "a.ipynb", tiny.name) == "ready"
    assert desk.verdict(tmp_path / "a.ipynb", tiny.name) == "made now"


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A database with one graded submission; making its tables takes two seconds."""
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
