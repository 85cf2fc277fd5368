"""The command line: bad input is one line and status 2, grading is status 0 whatever the score."""

import contextlib
import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner
from headcheck.authoring import build_all
from headcheck.cli import main
from headcheck.course import build
from headcheck.grading import check
from headcheck.jail.errors import JailUnavailable
from small_course import GOOD, TEXT, own_modules, write_json


@pytest.fixture(autouse=True)
def _own_modules():
    with own_modules():
        yield


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def assert_one_line(result, *words):
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1, result.stderr
    assert result.stderr.startswith("headcheck: ")
    assert "Traceback" not in result.stderr
    for word in words:
        assert word in result.stderr


def unusable(tmp_path):
    """Files that are no notebook of the tiny course, and the word that says why."""
    paths = {
        name: tmp_path / f"{name}.ipynb" for name in ("none", "empty", "text", "bare", "huge", "folder", "link", "pipe")
    }
    paths["empty"].write_bytes(b"")
    paths["text"].write_text("x = 1")
    paths["bare"].write_text('{"cells": []}')
    with paths["huge"].open("wb") as file:
        file.truncate(100 * 2**20)
    paths["folder"].mkdir()
    paths["link"].symlink_to("/etc/passwd")
    os.mkfifo(paths["pipe"])
    paths["foreign"] = write_json(tmp_path / "foreign.ipynb", {"cells": [{"cell_type": "code", "source": "1"}]})
    return paths


REASONS = {
    "none": "no such notebook",
    "empty": "the file is empty",
    "text": "not valid JSON",
    "bare": "the notebook has no cells",
    "huge": "larger than 32 MB",
    "folder": "not a file",
    "link": "a symbolic link",
    "pipe": "not a file",
    "foreign": "not a notebook of this course",
}


@pytest.mark.parametrize("name", REASONS)
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_check_says_in_one_line_why_a_file_cannot_be_used(tiny, tmp_path, name, options):
    path = unusable(tmp_path)[name]
    assert_one_line(run("check", path, "--course", tiny.root, *options), REASONS[name], path.name)


def test_check_says_one_line_for_each_of_many_unusable_files(tiny, tmp_path):
    result = run("check", *unusable(tmp_path).values(), "--course", tiny.root)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == len(REASONS)


def test_a_name_with_line_breaks_and_terminal_sequences_is_still_one_plain_line(tiny, tmp_path):
    result = run("check", tmp_path / "a\n\x1b[31mb\u202e.ipynb", "--course", tiny.root)
    assert_one_line(result, "no such notebook")
    assert "\x1b" not in result.stderr
    assert "\u202e" not in result.stderr


@pytest.mark.parametrize("command", [["check", "n.ipynb"], ["build"]])
@pytest.mark.parametrize("folder", ["typo", "."])
def test_a_course_folder_without_a_course_is_one_line(tmp_path, command, folder):
    assert_one_line(run(*command, "--course", tmp_path / folder), "no course here")


@pytest.mark.parametrize(
    "text", ["[course\n", "[course]\nassignments = 3\n", "[course]\nassignments=['a']\n[limits]\nx=1\n"]
)
@pytest.mark.parametrize("command", [["check", "n.ipynb"], ["build"], ["grade", "a"]])
def test_a_broken_headcheck_toml_is_one_line(tmp_path, command, text):
    (tmp_path / "headcheck.toml").write_text(text)
    assert_one_line(run(*command, "--course", tmp_path), "headcheck.toml")


@pytest.mark.parametrize("arguments", [["build", "typo"], ["build", "--check", "typo"], ["grade", "typo"]])
def test_an_unknown_assignment_is_one_line_with_the_known_ones(tiny, arguments):
    assert_one_line(run(*arguments, "--course", tiny.root), "'typo' is not an assignment", tiny.name)


def test_build_says_an_authors_mistake_with_its_place(make_course):
    tiny = make_course(text=TEXT.replace("points=3", "points=4"))
    assert_one_line(run("build", "--course", tiny.root), f"{tiny.name}.py:21: points of double do not add up")


@pytest.mark.parametrize("hidden", [None, "import no_such_module\n", "def test(:\n", "x = 1\n"])
def test_build_says_what_is_wrong_with_the_hidden_graders(make_course, hidden):
    tiny = make_course(hidden=hidden)
    assert_one_line(run("build", "--course", tiny.root), f"test_{tiny.name}.py: ")


@pytest.mark.parametrize("part", ["submitted", "submitted/ann", "submitted/ann/other"])
def test_grade_says_when_there_is_nothing_to_grade(make_course, part):
    tiny = make_course()
    (tiny.root / part).mkdir(parents=True)
    assert_one_line(run("grade", tiny.name, "--course", tiny.root), "no submissions found at")


def test_grade_says_when_there_is_no_such_folder_or_student(make_course, tmp_path):
    tiny = make_course()
    (tiny.root / "submitted" / "ann" / tiny.name).mkdir(parents=True)
    assert_one_line(run("grade", tiny.name, "--course", tmp_path / "typo"), "no such folder")
    assert_one_line(run("grade", tiny.name, "--course", tiny.root, "--student", "bob"), "no submissions found at")


def test_grade_grades_nothing_when_one_of_the_assignments_cannot_be(make_course, monkeypatch):
    tiny = make_course()
    (tiny.root / "submitted" / "ann" / tiny.name).mkdir(parents=True)
    monkeypatch.setattr("headcheck.gradebook.classes.flow.Flow.carry_out", lambda *_a: pytest.fail("it graded"))
    assert_one_line(run("grade", tiny.name, "typo", "--course", tiny.root), "'typo' is not an assignment")


def test_a_broken_nbgrader_configuration_is_one_line(make_course):
    tiny = make_course()
    (tiny.root / "nbgrader_config.py").write_text("raise ValueError('first\\nsecond')")
    assert_one_line(run("grade", tiny.name, "--course", tiny.root), "nbgrader_config.py: ValueError")


def test_a_machine_without_a_jail_is_one_line_and_no_score(tiny, tmp_path, monkeypatch):
    def broken(course):
        raise JailUnavailable("this machine cannot confine student code\n(no namespaces)")

    monkeypatch.setattr(check, "make_jail", broken)
    path = tiny.notebook(tmp_path / "work.ipynb", **GOOD)
    assert_one_line(run("check", path, "--course", tiny.root), "cannot confine student code")


@pytest.mark.parametrize(
    "arguments",
    [["typo"], ["check"], ["grade"], ["check", "n.ipynb", "--typo"], ["build", "--course"], ["--typo"]],
)
def test_a_wrong_command_line_is_one_line(arguments):
    assert_one_line(run(*arguments), "--help")


@pytest.mark.parametrize(
    "arguments", [[], ["--help"], ["check", "--help"], ["build", "-h"], ["grade", "-h"], ["--version"]]
)
def test_help_and_version_are_given(arguments):
    result = run(*arguments)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "headcheck" in result.stdout or "Usage" in result.stdout


@pytest.fixture
def shared(jail, monkeypatch):
    monkeypatch.setattr(check, "make_jail", lambda course: contextlib.nullcontext(jail))


@pytest.mark.usefixtures("shared")
def test_check_gives_one_json_object_a_line_and_status_0_whatever_the_score(tiny, tmp_path):
    paths = [tiny.notebook(tmp_path / "good.ipynb", **GOOD), tiny.course.release_file(tiny.name)]
    result = run("check", *paths, "--json", "--course", tiny.root)
    assert (result.exit_code, result.stderr) == (0, "")
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(one["notebook"], one["score"], one["max_score"]) for one in found] == [
        (str(paths[0]), 5, 6),
        (str(paths[1]), 0, 6),
    ]
    assert set(found[0]) == {"notebook", "assignment", "score", "max_score", "isolation", "tasks", "notes", "memory_mb"}
    task_fields = {"task", "score", "max_score", "state", "message", "mistakes", "divergence"}
    assert {field for task in found[0]["tasks"] for field in task} == task_fields


@pytest.mark.usefixtures("shared")
def test_check_grades_the_usable_files_beside_an_unusable_one_and_ends_with_2(tiny, tmp_path):
    good = tiny.notebook(tmp_path / "good.ipynb", **GOOD)
    result = run("check", tmp_path / "none.ipynb", good, "--json", "--course", tiny.root)
    assert result.exit_code == 2
    assert [json.loads(line)["score"] for line in result.stdout.splitlines()] == [5]
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.usefixtures("shared")
def test_check_prints_a_table_for_people_without_control_characters(tiny, tmp_path):
    answer = "def double(x):\n    return x ** 2\nprint('\\x1b[31m')"
    result = run("check", tiny.notebook(tmp_path / "a[b].ipynb", double=answer), "--course", tiny.root)
    assert result.exit_code == 0
    assert "a[b].ipynb" in result.stdout.replace("\n", "")
    assert "The mistake: `x * x` in place of `2 * x`." in result.stdout
    assert "\x1b" not in result.stdout


def test_build_tells_what_is_stale_with_status_1_and_writes_it_with_status_0(make_course, monkeypatch):
    monkeypatch.setattr(build, "_release", lambda assignment, source: b"released")
    tiny = make_course()
    checked = run("build", "--check", "--course", tiny.root)
    assert checked.exit_code == 1
    assert checked.stdout.count("stale: ") == 2
    assert checked.stderr == "headcheck: 2 notebooks are stale; run `headcheck build`\n"
    assert not (tiny.root / "source").exists()
    written = run("build", "--course", tiny.root)
    assert (written.exit_code, written.stdout.count("wrote ")) == (0, 2)
    for arguments in (["--check"], [], [tiny.name]):
        again = run("build", *arguments, "--course", tiny.root)
        assert (again.exit_code, again.stdout) == (0, "all notebooks are up to date\n")
    assert build_all(tiny.root, [], write=False) == []


@pytest.mark.parametrize(
    "arguments", [["check", "none.ipynb"], ["check", "huge.ipynb"], ["grade", "quiz"], ["build", "typo"]]
)
def test_the_command_itself_ends_with_2_and_one_line(tmp_path, arguments):
    with (tmp_path / "huge.ipynb").open("wb") as file:
        file.truncate(100 * 2**20)
    command = [sys.executable, "-c", "from headcheck.cli import main; main()", *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith("headcheck: ")
