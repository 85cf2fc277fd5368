"""In a real jail the verdict names the mistake and points at the line that makes it."""

import json

import pytest
from from_scratch_students import CORPUS, MARKED, ROOT
from headcheck.course.config import load_course
from headcheck.grading.grade import make_jail, with_grader

TASK = "multi_head_attention"


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """File of the corpus -> the verdict of its task, all graded by one grader."""
    folder, course = tmp_path_factory.mktemp("notebooks"), load_course(ROOT)
    source = json.loads(course.source_file("from_scratch").read_text(encoding="utf-8"))
    paths = [*MARKED, CORPUS / "correct" / "annotated.py", CORPUS / "correct" / "nanogpt.py"]

    def notebook(path):
        for cell in source["cells"]:
            if cell["metadata"].get("nbgrader", {}).get("grade_id") == TASK:
                cell["source"] = path.read_text(encoding="utf-8")
        target = folder / f"{path.stem}.ipynb"
        target.write_text(json.dumps(source), encoding="utf-8")
        return target

    def grade_all(grader):
        for path in paths:
            verdict = grader.grade_file(notebook(path))
            results[path] = next(task for task in verdict.tasks if task.task == TASK)

    results = {}
    with make_jail(course) as jail:
        with_grader(course, "from_scratch", jail, grade_all)
    return results


def test_the_line_is_right_for_nine_of_ten_mistakes(graded):
    off = {
        path.stem: (graded[path].divergence, lines)
        for path, lines in MARKED.items()
        if graded[path].divergence is not None and graded[path].divergence.line not in lines
    }
    assert len(off) <= 0.1 * len(MARKED), off


def test_every_mistake_is_named(graded):
    missing = [path.stem for path in MARKED if path.stem.replace("_", "-") not in graded[path].mistakes]
    assert missing == []


def test_a_mask_that_fails_in_half_precision_is_advice_beside_full_points(graded):
    found = graded[CORPUS / "correct" / "annotated.py"]
    assert (found.score, found.state, found.mistakes) == (8, "correct", ("mask-fp16-overflow",))
    assert "Advice" in found.details[0]
    assert graded[CORPUS / "correct" / "nanogpt.py"].mistakes == ()
