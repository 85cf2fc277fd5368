"""The notebook that is stored for a submission: valid for every nbgrader step, text only."""

import nbformat
import pytest
from headcheck.course.submission import merge, read_or_stand_in
from headcheck.gradebook.dropin.exporter import SubmissionExporter
from headcheck.gradebook.notebooks import add_outputs, add_verdict, repaired_notebook
from headcheck.grading.verdict import CellOutput, TaskVerdict, Verdict
from nbgrader.converters.base import BaseConverter
from nbgrader.coursedir import CourseDirectory
from nbgrader.nbgraderformat import MetadataValidator
from nbgrader.preprocessors import CheckCellMetadata
from small_course import GOOD, raw
from traitlets.config import Config

HOSTILE = "<script>alert(1)</script>"


def verdict_of(assignment, outputs=None):
    tasks = tuple(
        TaskVerdict(task.name, 1.5, task.points, "partial", f"{task.name}: {HOSTILE}", ("squared",), None, ("detail",))
        for task in assignment.tasks
    )
    return Verdict("n.ipynb", assignment.name, 3, 6, "A", tasks, ("a note",), outputs or {})


def cell(notebook, grade_id):
    return next(c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade_id") == grade_id)


def submissions(tiny):
    released = [raw(c.released, c.id if c.kind != "plain" else "", c.cell_type) for c in tiny.assignment.cells]
    return {
        "as released": released,
        "with doubles": [*released, raw(GOOD["double"], "double"), raw("pass", "double_tests")],
        "reversed": released[::-1],
        "one cell": [raw(GOOD["double"])],
        "odd ids and texts": [raw(HOSTILE, "../x"), raw("", "why", "markdown"), raw("�", "double"), *released],
    }


@pytest.mark.parametrize("which", ["as released", "with doubles", "reversed", "one cell", "odd ids and texts"])
def test_a_repaired_notebook_is_valid_for_nbformat_and_nbgrader(tiny, which):
    submission = merge(submissions(tiny)[which], tiny.assignment)
    notebook = repaired_notebook(tiny.assignment, submission)
    add_verdict(notebook, submission, verdict_of(tiny.assignment, {0: CellOutput("out", "err", "7", "E", "m", "t")}))
    nbformat.validate(notebook)
    CheckCellMetadata().preprocess(notebook, {})
    for one in notebook.cells:
        MetadataValidator().validate_cell(one)
    assert len({one.id for one in notebook.cells}) == len(notebook.cells) == len(submission.cells)


def test_answers_are_the_students_and_tests_the_courses_with_the_hidden_region(tiny):
    cells = submissions(tiny)["with doubles"]
    notebook = repaired_notebook(tiny.assignment, merge(cells, tiny.assignment))
    assert cell(notebook, "double").source == GOOD["double"]
    assert cell(notebook, "double_tests").source == tiny.assignment.by_id["double_tests"].source
    assert 'grade("double")' in cell(notebook, "double_tests").source
    assert cell(notebook, "double").metadata.nbgrader == tiny.assignment.by_id["double"].metadata


def test_changing_the_notebook_does_not_change_the_assignment(tiny):
    notebook = repaired_notebook(tiny.assignment, merge(submissions(tiny)["as released"], tiny.assignment))
    before = dict(tiny.assignment.by_id["double_tests"].metadata)
    cell(notebook, "double_tests").metadata.nbgrader["points"] = 99
    assert tiny.assignment.by_id["double_tests"].metadata == before


def outputs_of(printed):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("x"), nbformat.v4.new_markdown_cell("y")])
    add_outputs(notebook, {0: printed, 1: printed})
    return notebook.cells[0]


def test_what_a_cell_printed_is_stored_as_plain_text_and_nothing_else():
    found = outputs_of(CellOutput(HOSTILE, HOSTILE, HOSTILE, "ValueError", HOSTILE, f"Cell 1\n{HOSTILE}"))
    assert [output.output_type for output in found.outputs] == ["stream", "stream", "execute_result", "error"]
    assert [output.name for output in found.outputs[:2]] == ["stdout", "stderr"]
    assert list(found.outputs[2].data) == ["text/plain"]
    assert found.outputs[3].traceback == ["Cell 1", HOSTILE]
    assert found.execution_count == 1


def test_a_silent_cell_has_no_outputs_and_one_that_did_not_run_no_number():
    assert outputs_of(CellOutput()).outputs == []
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("x", execution_count=9, outputs=[])])
    add_outputs(notebook, {})
    assert notebook.cells[0].execution_count is None


def test_the_verdict_stands_in_the_metadata_and_below_the_tests_cell(tiny):
    submission = merge(submissions(tiny)["as released"], tiny.assignment)
    notebook = repaired_notebook(tiny.assignment, submission)
    add_verdict(notebook, submission, verdict_of(tiny.assignment))
    assert notebook.metadata.headcheck == {"isolation": "A", "notes": ["a note"], "unreadable": ""}
    found = cell(notebook, "double_tests")
    assert found.metadata.headcheck.task == "double"
    assert found.metadata.headcheck.mistakes == ["squared"]
    assert found.metadata.headcheck.details == ["detail"]
    assert found.metadata.headcheck.named is verdict_of(tiny.assignment).tasks[0].named
    assert found.outputs[-1].name == "stdout"
    assert found.outputs[-1].text.splitlines()[0] == "headcheck: 1.5 of 3 points"
    assert cell(notebook, "why").metadata.headcheck.task == "why"
    assert "headcheck" not in cell(notebook, "double").metadata


def exported(tiny, path, filename=None):
    """Convert one submission as nbgrader's autograde would."""
    config = Config()
    config.CourseDirectory.root = str(tiny.root)
    config.CourseDirectory.submitted_directory = str(path.parents[2])
    config.Execute.enabled = False
    converter = BaseConverter(coursedir=CourseDirectory(config=config))
    exporter = SubmissionExporter(parent=converter, config=config)
    ids = {"assignment": tiny.name, "student": path.parents[1].name, "notebook": path.stem}
    resources = {"nbgrader": {**ids, "db_url": f"sqlite:///{path.parents[2]}/gradebook.db"}}
    text, resources = exporter.from_filename(str(filename or path), resources=resources)
    return nbformat.reads(text, 4), resources


@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe", b"[" * 10**5, b'{"cells": [{}]}'])
def test_every_file_that_a_student_may_hand_in_is_read_as_a_valid_notebook(tiny, tmp_path, content):
    path = tmp_path / f"{tiny.name}.ipynb"
    if content is not None:
        path.write_bytes(content)
    submission = read_or_stand_in(path, tiny.assignment)
    notebook = repaired_notebook(tiny.assignment, submission)
    add_verdict(notebook, submission, verdict_of(tiny.assignment))
    nbformat.validate(notebook)
    assert [c.metadata.nbgrader.grade_id for c in notebook.cells if "nbgrader" in c.metadata] == [
        *("setup", "double", "double_tests", "total", "total_tests", "why")
    ]


@pytest.fixture
def handed(tiny, tmp_path):
    return tmp_path / "submitted" / "ann" / tiny.name / f"{tiny.name}.ipynb"


def test_nbgrader_reads_a_submission_repaired_with_its_name_and_place(tiny, handed):
    tiny.notebook(handed, **GOOD, double_tests="pass")
    notebook, resources = exported(tiny, handed)
    assert cell(notebook, "double").source == GOOD["double"].rstrip("\n") + "\n"
    assert "grade(" in cell(notebook, "double_tests").source
    assert resources["metadata"] == {"name": tiny.name, "path": str(handed.parent)}


def test_nbgrader_reads_a_hostile_file_as_the_released_cells(tiny, handed):
    handed.parent.mkdir(parents=True)
    handed.write_bytes(b"[" * 10**6)
    notebook, _resources = exported(tiny, handed)
    assert cell(notebook, "double").source == tiny.assignment.by_id["double"].released


def test_nbgraders_own_copy_is_read_as_it_is(tiny, handed, tmp_path):
    tiny.notebook(handed, **GOOD)
    copy = tiny.notebook(tmp_path / "autograded.ipynb", double_tests="as stored")
    notebook, _resources = exported(tiny, handed, copy)
    assert cell(notebook, "double_tests").source == "as stored"
