"""Text notebook -> source -> release: valid, reproducible, and without a word of the answers."""

import json

import nbformat
import pytest
from headcheck.course import build
from headcheck.course.build import build_assignment, stale_files, write_built
from headcheck.errors import UsageError
from nbgrader.nbgraderformat import MetadataValidator
from nbgrader.preprocessors import CheckCellMetadata
from small_course import TEXT, lay_out, own_modules

POINTS = {"double": 3.0, "total": 2.0}


def notebooks(tiny):
    course = tiny.course
    return [nbformat.read(path(tiny.name), 4) for path in (course.source_file, course.release_file)]


def cell(notebook, cell_id):
    return next(cell for cell in notebook.cells if cell.id == cell_id)


def test_both_notebooks_are_valid_for_nbformat_and_for_nbgrader(tiny):
    for notebook in notebooks(tiny):
        nbformat.validate(notebook)
        CheckCellMetadata().preprocess(notebook, {})
        for one in notebook.cells:
            MetadataValidator().validate_cell(one)
            if "nbgrader" in one.metadata:
                assert one.metadata.nbgrader.schema_version == 3


def test_the_grade_ids_are_those_that_tools_outside_rely_on(tiny):
    ids = ["setup", "double", "double_tests", "total", "total_tests", "why"]
    for notebook in notebooks(tiny):
        assert [c.metadata.nbgrader.grade_id for c in notebook.cells if "nbgrader" in c.metadata] == ids
        assert [c.id for c in notebook.cells][1:] == ids


def test_flags_and_points_are_those_of_the_kind_of_each_cell(tiny):
    flags = {
        "setup": (False, False, True, None),
        "double": (False, True, False, None),
        "double_tests": (True, False, True, 3),
        "total_tests": (True, False, True, 2),
        "why": (True, True, False, 1),
    }
    for notebook in notebooks(tiny):
        for cell_id, wanted in flags.items():
            found = cell(notebook, cell_id).metadata.nbgrader
            assert (found.grade, found.solution, found.locked, found.get("points")) == wanted


def test_the_source_keeps_the_answer_and_ends_each_tests_cell_with_its_hidden_call(tiny):
    source, _release = notebooks(tiny)
    assert "modelanswer" in cell(source, "double").source
    hidden = cell(source, "double_tests").source.split("### BEGIN HIDDEN TESTS\n")[1]
    assert hidden == 'from headcheck import grade\ngrade("double")\n### END HIDDEN TESTS'


def test_no_word_of_an_answer_or_of_the_hidden_region_is_released(tiny):
    text = tiny.course.release_file(tiny.name).read_text()
    for word in ("modelanswer", "x.sum()", "grade(", "headcheck", "HIDDEN", "BEGIN SOLUTION", "STUB"):
        assert word not in text


def test_students_get_the_stub_the_visible_checks_and_the_locked_cells(tiny):
    _source, release = notebooks(tiny)
    assert cell(release, "double").source == 'def double(x):\n    """Twice x."""\n    return None'
    assert cell(release, "double_tests").source.startswith("assert double(")
    assert cell(release, "setup").source == "import torch"


def test_two_builds_give_the_same_bytes(tiny):
    with own_modules():
        built = build_assignment(tiny.course, tiny.name, POINTS, {})
    assert built.source == tiny.course.source_file(tiny.name).read_bytes()
    assert built.release == tiny.course.release_file(tiny.name).read_bytes()


@pytest.fixture
def written(tmp_path, tiny):
    """A course with the tiny course's notebooks, to be spoilt."""
    course = lay_out(tmp_path).course
    name = course.assignments[0]
    built = build.Built(*(path(tiny.name).read_bytes() for path in (tiny.course.source_file, tiny.course.release_file)))
    write_built(course, name, built)
    return course, name, built


def test_notebooks_as_they_were_written_are_not_stale_and_are_not_written_again(written):
    course, name, built = written
    assert stale_files(course, name, built) == []
    before = course.source_file(name).stat().st_mtime_ns
    assert write_built(course, name, built) == []
    assert course.source_file(name).stat().st_mtime_ns == before


@pytest.mark.parametrize("which", ["source_file", "release_file"])
@pytest.mark.parametrize("spoil", ["missing", "one byte more"])
def test_a_missing_or_changed_notebook_is_stale_and_the_only_one_written(written, which, spoil):
    course, name, built = written
    path = getattr(course, which)(name)
    content = path.read_bytes()
    if spoil == "missing":
        path.unlink()
    else:
        path.write_bytes(content + b" ")
    assert stale_files(course, name, built) == [path]
    assert write_built(course, name, built) == [path]
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("change", "line", "what"),
    [
        (("points=3", "points=4"), 21, "points of double do not add up: 4 here, 3 in its hidden tests"),
        (("points=3", "points=2.5"), 21, "points of double do not add up: 2.5 here, 3 in its hidden tests"),
        (("solution total", "solution sum_up"), 33, "tests total come before (or without) `solution total`"),
        (("### BEGIN SOLUTION\ndef total", "def total"), 24, "### STUB in the wrong place"),
        (("### STUB\n# def total", "# def total"), 24, "### END SOLUTION in the wrong place"),
        (("#     return 0.0", "    return 0.0"), 24, "must be comments"),
        (("import torch", "### BEGIN SOLUTION\n1\n### END SOLUTION"), 4, "a solution region in a cell that is not"),
        (("assert double", "### BEGIN HIDDEN TESTS\nassert double"), 21, "the hidden region is appended by the build"),
    ],
)
def test_an_authors_mistake_in_the_text_is_one_line_with_its_place(make_course, change, line, what):
    assert change[0] in TEXT
    tiny = make_course(text=TEXT.replace(*change))
    with pytest.raises(UsageError) as raised:
        tiny.build()
    assert str(raised.value).startswith(f"{tiny.course.text_file(tiny.name)}:{line}: ")
    assert what in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("points", "line", "what"),
    [
        ({"double": 3.0}, 33, "task total has no hidden grader"),
        ({**POINTS, "triple": 1.0}, 1, "a hidden grader tests triple, but there is no such task"),
        ({**POINTS, "why": 1.0}, 1, "a hidden grader tests why, but there is no such task"),
        ({**POINTS, "double": float("nan")}, 21, "points of double do not add up"),
    ],
)
def test_tasks_and_hidden_graders_must_match(make_course, points, line, what):
    tiny = make_course()
    with pytest.raises(UsageError) as raised:
        build_assignment(tiny.course, tiny.name, points, {})
    assert str(raised.value).startswith(f"{tiny.course.text_file(tiny.name)}:{line}: {what}")


@pytest.fixture
def without_nbgrader(monkeypatch):
    """Skip the slow half of a build where only the other half matters."""
    monkeypatch.setattr(build, "_release", lambda assignment, source: b"")


@pytest.mark.usefixtures("without_nbgrader")
def test_tenths_of_points_add_up_although_binary_floats_do_not(make_course):
    tiny = make_course(text=TEXT.replace("points=3", "points=0.3"))
    built = build_assignment(tiny.course, tiny.name, {**POINTS, "double": 0.1 + 0.2}, {})
    assert cell(nbformat.reads(built.source.decode(), 4), "double_tests").metadata.nbgrader.points == 0.3


def ids_of(text, make_course):
    tiny = make_course(text=text)
    return [one["id"] for one in json.loads(build_assignment(tiny.course, tiny.name, POINTS, {}).source)["cells"]]


@pytest.mark.usefixtures("without_nbgrader")
def test_cell_ids_stay_when_a_cell_is_added_elsewhere(make_course):
    before = ids_of(TEXT, make_course)
    after = ids_of("# %% [markdown]\n# New.\n\n" + TEXT, make_course)
    assert after[1:] == before
    assert after[0] not in before


@pytest.mark.usefixtures("without_nbgrader")
def test_cells_with_the_same_text_have_different_ids(make_course):
    ids = ids_of("# %%\n1\n\n# %%\n1\n\n" + TEXT, make_course)
    assert len(set(ids)) == len(ids)


@pytest.mark.usefixtures("without_nbgrader")
def test_nothing_is_written_when_one_of_the_assignments_has_a_mistake(make_course):
    tiny = make_course()
    (tiny.root / "headcheck.toml").write_text(f'[course]\nassignments = ["{tiny.name}", "broken"]\n')
    with pytest.raises(UsageError, match="broken"):
        tiny.build()
    assert not (tiny.root / "source").exists()
    assert not (tiny.root / "release").exists()


@pytest.mark.usefixtures("without_nbgrader")
def test_checking_writes_nothing(make_course):
    tiny = make_course()
    assert len(tiny.build(write=False)) == 2
    assert not (tiny.root / "source").exists()
