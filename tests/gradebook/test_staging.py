"""What is read of a student's folder: one plain file, whatever lies there."""

import os

import pytest
from headcheck.gradebook.classes.staging import find_handed, take


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "submitted" / "ann" / "work"
    made.mkdir(parents=True)
    return made


def taken(folder):
    return take(find_handed("ann", folder, "work"))


def test_the_bytes_of_the_notebook_are_copied(folder):
    (folder / "work.ipynb").write_bytes(b'{"cells": []}')
    one = taken(folder)
    assert (one.data, one.unusable) == (b'{"cells": []}', "")


def test_a_single_notebook_under_another_name_is_taken_and_the_name_is_said(folder):
    (folder / "work (1).ipynb").write_bytes(b"{}")
    one = taken(folder)
    assert one.data == b"{}"
    assert "work (1).ipynb" in one.handed.note


def test_of_several_notebooks_only_the_one_of_the_right_name_is_taken(folder):
    (folder / "work (1).ipynb").write_bytes(b"1")
    (folder / "work.ipynb").write_bytes(b"right")
    one = taken(folder)
    assert (one.data, one.handed.note) == (b"right", "")


def test_without_a_notebook_of_the_right_name_the_reason_says_what_lies_there(folder):
    (folder / "a.ipynb").write_bytes(b"1")
    (folder / "b.ipynb").write_bytes(b"2")
    one = taken(folder)
    assert one.data == b""
    assert "a.ipynb, b.ipynb" in one.unusable


def test_a_link_is_not_followed(folder, tmp_path):
    (tmp_path / "secret").write_text("secret")
    (folder / "work.ipynb").symlink_to(tmp_path / "secret")
    one = taken(folder)
    assert one.data == b""
    assert "symbolic link" in one.unusable


def test_a_folder_that_is_a_link_is_refused(folder, tmp_path):
    (folder / "work.ipynb").write_bytes(b"{}")
    other = tmp_path / "submitted" / "eve" / "work"
    other.parent.mkdir()
    other.symlink_to(folder)
    one = take(find_handed("eve", other, "work"))
    assert one.data == b""
    assert "symbolic link" in one.unusable


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_file_neither_hangs_nor_stops_anything(folder, make):
    make(folder / "work.ipynb")
    assert taken(folder).unusable


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("2026-02-03 15:00:00 UTC", True),
        ("yesterday or so", False),
        ("", False),
        ("9" * 300, False),
        ("0001-01-01 00:00 +0900", False),
    ],
)
def test_a_time_of_submission_is_kept_when_nbgrader_can_read_it(folder, text, kept):
    (folder / "work.ipynb").write_bytes(b"{}")
    (folder / "timestamp.txt").write_text(text)
    assert taken(folder).timestamp == (text if kept else "")


def test_a_time_of_submission_that_is_a_link_is_not_followed(folder, tmp_path):
    (folder / "work.ipynb").write_bytes(b"{}")
    (tmp_path / "time").write_text("2026-02-03 15:00:00 UTC")
    (folder / "timestamp.txt").symlink_to(tmp_path / "time")
    assert taken(folder).timestamp == ""
