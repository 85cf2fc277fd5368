"""Whatever bytes a student hands in are a valid notebook without our own marks in it, or one clear line."""

import json

import nbformat
import pytest
from headcheck.course.notebook import MAX_CELLS
from headcheck.errors import UsageError
from headcheck.gradebook.plain.reading import NOTES, UNREADABLE, read_plain, unreadable
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

CODE = {"cell_type": "code", "source": "1", "metadata": {}, "outputs": [], "execution_count": None}
RESULT = {"output_type": "execute_result", "data": {"text/plain": ["0.5"]}, "metadata": {}, "execution_count": 3}


def read(folder, content, **options):
    path = folder / "work.ipynb"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return read_plain(path, **options)


def notebook(*cells, **more):
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells), **more}


def test_texts_marks_kernel_and_pasted_pictures_are_kept(tmp_path):
    mark = {"grade_id": "a", "grade": True}
    picture = {"cell_type": "markdown", "source": ["![x]", "(attachment:x.png)"], "metadata": {"nbgrader": mark}}
    picture["attachments"] = {"x.png": {"image/png": "QUJD"}, "y.html": {"text/html": "<script>"}}
    found = read(tmp_path, notebook(CODE, picture, metadata={"kernelspec": {"name": "python3", "display_name": "P"}}))
    assert found.metadata.kernelspec.name == "python3"
    assert found.cells[1].source == "![x](attachment:x.png)"
    assert found.cells[1].attachments == {"x.png": {"image/png": "QUJD"}}
    assert found.cells[1].metadata.nbgrader == mark


def test_a_student_cannot_speak_in_our_name(tmp_path):
    forged = {NOTES: ["all fine"], UNREADABLE: "no", "headcheck": {"notes": []}}
    found = read(tmp_path, notebook({**CODE, "metadata": {**forged, "headcheck_said": "2 / 2"}}, metadata=forged))
    assert found.metadata == {}
    assert found.cells[0].metadata == {}


def test_outputs_are_dropped_unless_nothing_will_be_run(tmp_path):
    cell = {**CODE, "outputs": [RESULT], "execution_count": 3}
    assert read(tmp_path, notebook(cell)).cells[0].outputs == []
    kept = read(tmp_path, notebook(cell), outputs=True).cells[0]
    assert (kept.outputs[0]["data"]["text/plain"], kept.execution_count) == ("0.5", 3)


def test_a_notebook_of_format_3_is_read(tmp_path):
    cell = {"cell_type": "code", "input": "x = 1", "language": "python", "outputs": [], "metadata": {}}
    old = {"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": [{"cells": [cell]}]}
    assert [one.source for one in read(tmp_path, old).cells] == ["x = 1"]


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"{}", b'{"cells": 5}', b'{"worksheets": [1]}', b'{"cells":' + b"[" * 50_000],
)
def test_what_is_no_notebook_is_refused_in_one_line(tmp_path, content):
    with pytest.raises(UsageError) as refused:
        read(tmp_path, content)
    assert "\n" not in str(refused.value)


def test_too_many_cells_are_refused(tmp_path):
    with pytest.raises(UsageError, match="more than"):
        read(tmp_path, notebook(*[CODE] * (MAX_CELLS + 1)))


def test_a_stand_in_is_valid_and_says_why():
    found = unreadable("not valid JSON")
    nbformat.validate(found)
    assert found.metadata[UNREADABLE] == "not valid JSON"


@pytest.mark.parametrize("outputs", [[{}], [{"output_type": "stream"}], [{"output_type": "error", "ename": 3}]])
def test_outputs_that_are_none_are_dropped(tmp_path, outputs):
    cell = {"cell_type": "code", "source": "x", "metadata": {}, "outputs": outputs}
    found = read(tmp_path, {"cells": [cell], "metadata": {}}, outputs=True)
    nbformat.validate(found)
    assert (found.cells[0].source, found.cells[0].outputs) == ("x", [])


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=12), inner, max_size=3),
    max_leaves=8,
)
keys = st.sampled_from(["cell_type", "source", "metadata", "outputs", "attachments", "id", "execution_count"])
kinds = st.sampled_from(["code", "markdown", "raw", "x"])
cells = st.dictionaries(keys, anything | kinds, max_size=7)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(st.lists(cells | anything, max_size=4), anything, st.booleans())
def test_any_cells_are_read_as_a_valid_notebook(tmp_path, made, metadata, outputs):
    found = read(tmp_path, {"cells": made, "metadata": metadata}, outputs=outputs)
    nbformat.validate(found)
    assert all("nbgrader" not in cell.metadata or cell.metadata.nbgrader.grade_id is not None for cell in found.cells)
