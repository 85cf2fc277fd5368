"""When a verdict still holds: its key changes with everything that it follows from, and with nothing else."""

import shutil

import pytest
from headcheck.course.config import load_course
from headcheck.grading.versions import course_version, grader_version, submission_key, versions


@pytest.fixture
def course(tiny, tmp_path):
    shutil.copytree(tiny.root, tmp_path / "course")
    return load_course(tmp_path / "course")


def both(course, name):
    return grader_version(course, name), course_version(course, name)


def test_the_versions_are_those_that_a_number_may_depend_on():
    assert versions().keys() == {"headcheck", "python", "torch", "numpy"}


def test_nothing_changes_by_itself(course, tiny):
    assert both(course, tiny.name) == both(course, tiny.name) == both(tiny.course, tiny.name)


@pytest.mark.parametrize("path", ["autograder/hidden/test_{name}.py", "autograder/hidden/helper.py", "solutions/x.py"])
def test_a_changed_grader_is_another_grader(course, tiny, path):
    grader, asked = both(course, tiny.name)
    with open(course.root / path.format(name=tiny.name), "a") as file:
        file.write("# changed")
    assert grader_version(course, tiny.name) != grader
    assert course_version(course, tiny.name) == asked


@pytest.mark.parametrize(
    "path", ["source/{name}/{name}.ipynb", "release/{name}/{name}.ipynb", "source/{name}/data.csv"]
)
def test_a_changed_notebook_or_data_file_is_another_course(course, tiny, path):
    _grader, asked = both(course, tiny.name)
    with open(course.root / path.format(name=tiny.name), "a") as file:
        file.write(" ")
    assert course_version(course, tiny.name) != asked


@pytest.mark.parametrize("change", ["call_seconds = 1|call_seconds = 2", "hints = 'full'|hints = 'place'"])
def test_changed_limits_and_hints_are_another_course(course, tiny, change):
    path, (old, new) = course.root / "headcheck.toml", change.split("|")
    path.write_text(path.read_text().replace(old, new))
    assert course_version(load_course(course.root), tiny.name) != course_version(course, tiny.name)


def test_trust_makes_another_verdict(course, tiny, monkeypatch):
    before = course_version(course, tiny.name)
    monkeypatch.setenv("HEADCHECK_TRUST_SUBMISSIONS", "1")
    assert course_version(course, tiny.name) != before


def test_a_language_counts_when_there_is_a_translation_and_not_as_a_setting_of_the_machine(
    course, tiny, monkeypatch, tmp_path
):
    before = course_version(course, tiny.name)
    monkeypatch.setattr("headcheck.grading.versions.LOCALE", tmp_path)
    monkeypatch.setenv("LANG", "C")
    monkeypatch.setenv("HEADCHECK_LANG", "tr")
    assert course_version(course, tiny.name) == before
    (tmp_path / "tr" / "LC_MESSAGES").mkdir(parents=True)
    (tmp_path / "tr" / "LC_MESSAGES" / "headcheck.mo").touch()
    assert course_version(course, tiny.name) != before


def test_parts_of_a_key_do_not_run_into_each_other():
    keys = {
        submission_key(*parts)
        for parts in [(b"ab", ("c",), "g", "k"), (b"a", ("bc",), "g", "k"), (b"a", ("b", "c"), "g", "k")]
    }
    assert len(keys) == 3
