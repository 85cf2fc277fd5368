"""What nbgrader gets of a student's folder: one plain file, whatever lies there."""

import os

import pytest
from headcheck.gradebook.staging import find_handed, stage


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "submitted" / "ann" / "work"
    made.mkdir(parents=True)
    return made


def staged(folder, tmp_path):
    one = stage(find_handed(folder, "work"), tmp_path / "staging", "work")
    assert one.path == tmp_path / "staging" / "ann" / "work" / "work.ipynb"
    assert one.path.is_file()
    assert not one.path.is_symlink()
    return one


def test_the_bytes_of_the_notebook_are_copied(folder, tmp_path):
    (folder / "work.ipynb").write_bytes(b'{"cells": []}')
    one = staged(folder, tmp_path)
    assert (one.path.read_bytes(), one.unusable) == (b'{"cells": []}', "")


def test_a_single_notebook_under_another_name_is_taken_and_the_name_is_said(folder, tmp_path):
    (folder / "work (1).ipynb").write_bytes(b"{}")
    one = staged(folder, tmp_path)
    assert one.path.read_bytes() == b"{}"
    assert "work (1).ipynb" in one.handed.note


def test_of_several_notebooks_only_the_one_of_the_right_name_is_taken(folder, tmp_path):
    (folder / "work (1).ipynb").write_bytes(b"1")
    (folder / "work.ipynb").write_bytes(b"right")
    one = staged(folder, tmp_path)
    assert (one.path.read_bytes(), one.handed.note) == (b"right", "")


def test_without_a_notebook_of_the_right_name_the_reason_says_what_lies_there(folder, tmp_path):
    (folder / "a.ipynb").write_bytes(b"1")
    (folder / "b.ipynb").write_bytes(b"2")
    one = staged(folder, tmp_path)
    assert one.path.read_bytes() == b""
    assert "a.ipynb, b.ipynb" in one.unusable


def test_a_link_is_not_followed(folder, tmp_path):
    (tmp_path / "secret").write_text("secret")
    (folder / "work.ipynb").symlink_to(tmp_path / "secret")
    one = staged(folder, tmp_path)
    assert one.path.read_bytes() == b""
    assert "symbolic link" in one.unusable


def test_a_folder_that_is_a_link_is_refused(folder, tmp_path):
    (folder / "work.ipynb").write_bytes(b"{}")
    other = tmp_path / "submitted" / "eve" / "work"
    other.parent.mkdir()
    other.symlink_to(folder)
    one = stage(find_handed(other, "work"), tmp_path / "staging", "work")
    assert one.path.read_bytes() == b""
    assert "symbolic link" in one.unusable


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_file_neither_hangs_nor_stops_anything(folder, tmp_path, make):
    make(folder / "work.ipynb")
    assert staged(folder, tmp_path).unusable


def test_other_files_are_left_where_they_are(folder, tmp_path):
    (folder / "work.ipynb").write_bytes(b"{}")
    (folder / "data.csv").write_text("1,2")
    (folder / "gradebook.db").symlink_to("/etc/passwd")
    assert [path.name for path in staged(folder, tmp_path).path.parent.iterdir()] == ["work.ipynb"]


@pytest.mark.parametrize(
    ("text", "kept"),
    [("2026-02-03 15:00:00 UTC", True), ("yesterday or so", False), ("", False), ("9" * 300, False)],
)
def test_a_time_of_submission_is_kept_when_nbgrader_can_read_it(folder, tmp_path, text, kept):
    (folder / "work.ipynb").write_bytes(b"{}")
    (folder / "timestamp.txt").write_text(text)
    assert (staged(folder, tmp_path).path.parent / "timestamp.txt").exists() == kept


def test_a_time_of_submission_that_is_a_link_is_not_followed(folder, tmp_path):
    (folder / "work.ipynb").write_bytes(b"{}")
    (tmp_path / "time").write_text("2026-02-03 15:00:00 UTC")
    (folder / "timestamp.txt").symlink_to(tmp_path / "time")
    assert not (staged(folder, tmp_path).path.parent / "timestamp.txt").exists()
