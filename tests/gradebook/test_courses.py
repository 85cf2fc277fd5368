"""Which notebooks are headcheck's, and which are plain ones that only happen to lie beside them."""

import pytest
from headcheck.errors import UsageError
from headcheck.gradebook.config import configure
from headcheck.gradebook.courses import course_of, headcheck_assignment
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config


def coursedir(root):
    config = Config()
    config.CourseDirectory.root = str(root)
    return CourseDirectory(config=config)


def test_a_folder_without_a_course_has_the_usual_limits_and_no_assignments_of_ours(tmp_path, monkeypatch):
    monkeypatch.setattr("headcheck.course.config.shipped_course", lambda: None)
    course = course_of(tmp_path)
    assert (course.root, course.assignments, course.limits.memory_mb) == (tmp_path.resolve(), (), 1024)
    assert headcheck_assignment(coursedir(tmp_path), "work") is None


def test_a_course_that_cannot_be_read_is_not_taken_for_none(tmp_path):
    (tmp_path / "headcheck.toml").write_text("[")
    with pytest.raises(UsageError):
        course_of(tmp_path)


def test_an_assignment_of_the_course_is_headchecks(tiny):
    assert headcheck_assignment(coursedir(tiny.root), tiny.name).name == tiny.name
    assert headcheck_assignment(coursedir(tiny.root), "other") is None


@pytest.mark.parametrize(("source", "ours"), [("x = 1", False), ("from headcheck import grade", True)])
def test_a_plain_assignment_of_the_same_name_stays_plain(tiny, tmp_path, monkeypatch, source, ours):
    monkeypatch.setattr("headcheck.course.config.shipped_course", lambda: tiny.root)
    folder = tmp_path / "source" / tiny.name
    folder.mkdir(parents=True)
    (folder / f"{tiny.name}.ipynb").write_text(source)
    assert (headcheck_assignment(coursedir(tmp_path), tiny.name) is not None) == ours


def lent(folder=None):
    config = Config()
    configure(config, folder)
    return config.CourseDirectory.get("source_directory")


def test_a_class_folder_without_notebooks_uses_those_of_the_course(tiny, tmp_path, monkeypatch):
    monkeypatch.setattr("headcheck.course.config.shipped_course", lambda: tiny.root)
    assert lent(tmp_path) == str(tiny.root / "source")
    (tmp_path / "nbgrader_config.py").write_text("from headcheck.gradebook.config import configure")
    monkeypatch.chdir(tmp_path)
    assert lent() == str(tiny.root / "source")


def test_a_folder_with_notebooks_or_with_another_configuration_keeps_its_own(tiny, tmp_path, monkeypatch):
    monkeypatch.setattr("headcheck.course.config.shipped_course", lambda: tiny.root)
    monkeypatch.chdir(tmp_path)
    assert lent() is None
    (tmp_path / "nbgrader_config.py").write_text("c = get_config()")
    assert lent() is None
    (tmp_path / "source").mkdir()
    assert lent(tmp_path) is None
