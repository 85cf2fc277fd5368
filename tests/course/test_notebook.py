"""Notebooks from strangers: any file gives cells or one line."""

import json
import os

import pytest
from headcheck.course import notebook
from headcheck.course.notebook import MAX_CELL_CHARS, MAX_CELLS, RawCell, clean_text, read_notebook
from headcheck.errors import UsageError
from hypothesis import given, settings
from hypothesis import strategies as st

CELL = {"cell_type": "code", "source": "x = 1", "metadata": {"nbgrader": {"grade_id": "a"}}}


@pytest.fixture
def read(tmp_path):
    def read_content(content):
        path = tmp_path / "work.ipynb"
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return read_notebook(path)

    return read_content


def one(**changes):
    return {"cells": [{**CELL, **changes}]}


def test_type_source_and_claimed_id_of_a_cell_are_kept_and_nothing_else(read):
    assert read(one(outputs=[{"data": {"text/html": "<script>"}}])) == [RawCell("code", "x = 1", "a")]


def test_a_source_may_be_a_list_of_lines(read):
    assert read(one(source=["x = 1\n", "y = 2"]))[0].source == "x = 1\ny = 2"


@pytest.mark.parametrize("cell_type", ["markdown", "raw", "widget", None, 3, ["code"]])
def test_whatever_is_not_code_becomes_markdown(read, cell_type):
    assert read(one(cell_type=cell_type))[0].cell_type == "markdown"


@pytest.mark.parametrize(
    "metadata",
    [
        None,
        [],
        "a",
        *({"nbgrader": nbgrader} for nbgrader in (None, [], *({"grade_id": i} for i in (7, ["a"], "a" * 101)))),
    ],
)
def test_odd_metadata_means_no_claimed_id(read, metadata):
    assert read(one(metadata=metadata))[0].grade_id == ""


@pytest.mark.parametrize("cell", [None, 1, "x = 1", [], {}, {"source": 1}, {"source": ["x", 1]}, {"source": None}])
def test_what_is_no_cell_is_left_out(read, cell):
    assert read({"cells": [cell, CELL]}) == [RawCell("code", "x = 1", "a")]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "the file is empty"),
        (b" \n\t ", "the file is empty"),
        (b"%PDF-1.7", "not valid JSON"),
        (b'{"cells": [', "not valid JSON"),
        (b"null", "not a Jupyter notebook"),
        (b"[]", "not a Jupyter notebook"),
        (b"7", "not a Jupyter notebook"),
        (b"{}", "not a Jupyter notebook"),
        (b'{"cells": {"a": 1}}', "not a Jupyter notebook"),
        (b'{"worksheets": [{"cells": []}]}', "not a Jupyter notebook"),
        (b'{"cells": []}', "the notebook has no cells"),
        (b'{"cells": [null]}', "the notebook has no cells"),
        (b"[" * 10**6, "nested too deeply"),
        (b'{"cells":' * 10**5, "nested too deeply"),
        (b'{"cells": [' + b"9" * 10**5 + b"]}", "not valid JSON"),
    ],
)
def test_a_file_that_is_no_notebook_is_refused_in_one_line_that_names_it(read, tmp_path, content, what):
    with pytest.raises(UsageError) as raised:
        read(content)
    assert str(raised.value).startswith(f"{tmp_path / 'work.ipynb'}: ")
    assert what in str(raised.value)
    assert "\n" not in str(raised.value)


def test_of_a_key_that_stands_there_twice_the_last_counts(read):
    twice = b'{"cells": 1, "cells": [{"cell_type": "code", "source": "a", "source": "b"}]}'
    assert read(twice) == [RawCell("code", "b", "")]


def test_a_number_without_end_as_a_float_does_no_harm(read):
    content = json.dumps(one()).encode()[:-1] + b', "x": 1e999999, "y": NaN, "z": 0.' + b"1" * 10**5 + b"}"
    assert read(content) == [RawCell("code", "x = 1", "a")]


def test_too_many_cells_are_refused(read):
    assert len(read({"cells": [CELL] * MAX_CELLS})) == MAX_CELLS
    with pytest.raises(UsageError, match=f"more than {MAX_CELLS} cells"):
        read({"cells": [CELL] * (MAX_CELLS + 1)})


def test_an_endless_cell_is_cut(read):
    assert len(read(one(source="x" * (MAX_CELL_CHARS + 1)))[0].source) == MAX_CELL_CHARS


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
def test_every_unicode_encoding_that_editors_write_is_read(read, encoding):
    text = json.dumps(one(source="# ağırlık"), ensure_ascii=False)
    data = text.encode(encoding)
    assert read((b"\xfe\xff" + data) if encoding == "utf-16-be" else data)[0].source == "# ağırlık"


def test_text_in_an_old_one_byte_encoding_keeps_its_code(read):
    text = json.dumps(one(source="x = 1  # café"), ensure_ascii=False)
    assert read(text.encode("latin-1"))[0].source == "x = 1  # café"


def test_half_a_character_in_utf16_is_no_crash(read):
    with pytest.raises(UsageError, match="not valid JSON"):
        read(json.dumps(one()).encode("utf-16") + b"\x00\xd8\x41")


@pytest.mark.parametrize("bad", ["\ud800", "\0", "\udc80\ud83d"])
def test_lone_surrogates_and_nul_become_replacement_characters(read, bad):
    source = read(one(source=f"a{bad}b"))[0].source
    assert source == f"a{'�' * len(bad)}b"
    source.encode()


def test_a_pair_of_surrogates_is_one_character():
    assert clean_text("\ud83d\ude00") == "😀"


@pytest.mark.parametrize("size", [100 * 2**20, 2**40])
def test_a_huge_file_is_refused_without_being_read_whole(tmp_path, size):
    path = tmp_path / "huge.ipynb"
    with path.open("wb") as file:
        file.truncate(size)
    with pytest.raises(UsageError, match=r"huge\.ipynb: larger than 32 MB"):
        read_notebook(path)


def test_a_symbolic_link_is_refused_even_when_it_leads_to_a_notebook(tmp_path):
    (tmp_path / "real.ipynb").write_text(json.dumps(one()))
    (tmp_path / "link.ipynb").symlink_to(tmp_path / "real.ipynb")
    with pytest.raises(UsageError, match=r"link\.ipynb: a symbolic link"):
        read_notebook(tmp_path / "link.ipynb")


def open_files():
    return set(os.listdir("/proc/self/fd"))


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_a_folder_or_a_pipe_is_refused_at_once_and_left_closed(tmp_path, make):
    make(tmp_path / "odd.ipynb")
    before = open_files()
    with pytest.raises(UsageError, match=r"odd\.ipynb: not a file"):
        read_notebook(tmp_path / "odd.ipynb")
    assert open_files() == before


def test_a_device_is_refused():
    with pytest.raises(UsageError, match="/dev/zero: not a file"):
        read_notebook(notebook.Path("/dev/zero"))


def test_a_missing_file_and_a_file_in_place_of_a_folder_are_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"none\.ipynb: no such notebook"):
        read_notebook(tmp_path / "none.ipynb")
    with pytest.raises(UsageError, match=r"work\.ipynb: Not a directory"):
        read_notebook(tmp_path / "file" / "work.ipynb")


def assert_cells_or_usage_error(path):
    try:
        cells = read_notebook(path)
    except UsageError as error:
        assert len(str(error).splitlines()) == 1  # noqa: PT017  both ends are fine, anything else is not
        return
    assert cells
    for cell in cells:
        assert cell.cell_type in ("code", "markdown")
        assert "\0" not in cell.source
        cell.source.encode()


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.binary(), st.binary().map(lambda b: b"\xff\xfe" + b), st.binary().map(lambda b: b'{"cells":' + b)))
def test_any_bytes_give_cells_or_one_line(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "any_bytes.ipynb"
    path.write_bytes(data)
    assert_cells_or_usage_error(path)


def tree(leaf, keys):
    return st.recursive(leaf, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=5))


KEYS = st.sampled_from(["cells", "cell_type", "source", "metadata", "nbgrader", "grade_id", "nbformat"]) | st.text()
VALUES = tree(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()) | st.just("code"), KEYS
)


@settings(max_examples=200, deadline=None)
@given(VALUES | st.lists(VALUES, max_size=5).map(lambda cells: {"cells": cells}))
def test_any_json_gives_cells_or_one_line(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any_json.ipynb"
    path.write_text(json.dumps(content))
    assert_cells_or_usage_error(path)
