"""Files are replaced as a whole or not at all."""

import os

import pytest
from headcheck.course.files import write_atomically


def test_text_is_written_as_utf8_with_its_own_line_ends_into_new_folders(tmp_path):
    path = tmp_path / "new" / "folder" / "a.txt"
    write_atomically(path, "ağ\n")
    assert path.read_bytes() == "ağ\n".encode()


def test_the_old_file_is_replaced_and_nothing_is_left_beside_it(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old, and longer than the new one")
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_leaves_the_old_file_and_no_other(tmp_path, monkeypatch, step):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def full(*_args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, full)
    with pytest.raises(OSError, match="No space"):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_reader_that_has_the_old_file_open_still_reads_the_old_content(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with path.open() as reader:
        write_atomically(path, "new")
        assert reader.read() == "old"
