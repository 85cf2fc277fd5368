"""The pool: every job gets its answer, whatever happens to the workers."""

import shutil

import pytest
from deadly import DEADLY, deadly_text, wishing
from headcheck.course.config import load_course
from headcheck.errors import UsageError
from headcheck.grading.pool import Pool
from headcheck.jail.errors import JailUnavailable
from small_course import GOOD, LIMITS, TEXT, lay_out, own_modules


@pytest.fixture(scope="module")
def deadly(tmp_path_factory):
    with own_modules():
        made = lay_out(tmp_path_factory.mktemp("deadly") / "course", deadly_text(TEXT), DEADLY, limits=LIMITS)
        made.build()
    return made


def grading(tiny, path):
    return {"grade": tiny.name, "path": str(path), "notebook": path.name, "unusable": "", "note": ""}


def answers_of(pool, count):
    answers = {}
    while len(answers) < count:
        answers.update(pool.collect(1))
    return answers


def test_a_job_that_ends_its_worker_is_tried_once_more_and_costs_no_other_job(deadly, tmp_path):
    wishes = {"a": "live", "b": "die", "c": "die once", "d": "fail", "e": "live"}
    with Pool(deadly.course, workers=2) as pool:
        for name, wish in wishes.items():
            pool.submit(name, grading(deadly, deadly.notebook(tmp_path / f"{name}.ipynb", **wishing(wish))))
        answers = answers_of(pool, len(wishes))
    scores = {name: answer["value"]["score"] for name, answer in answers.items() if "value" in answer}
    assert scores == {"a": 6, "c": 6, "d": 5, "e": 6}
    assert "process ended" in answers["b"]["failed"]
    tries = (deadly.root / "attempts").read_text().splitlines()
    assert sorted(tries) == ["die", "die", "die once", "die once", "fail", "live", "live"]


def test_other_work_is_done_too_and_a_fault_in_it_is_told(deadly):
    with Pool(deadly.course, workers=1, grades=False) as pool:
        pool.submit("works", {"call": "headcheck.marker:grade", "with": {"_task": "x"}})
        pool.submit("right", {"call": "os.path:basename", "with": {"p": "a/b"}})
        answers = answers_of(pool, 2)
    assert answers["right"] == {"value": "b"}
    assert "failed" in answers["works"]


def test_workers_that_cannot_start_are_an_error_and_no_verdict(deadly, tmp_path):
    shutil.copytree(deadly.root, tmp_path / "gone")
    course = load_course(tmp_path / "gone")
    (tmp_path / "gone" / "headcheck.toml").unlink()
    with Pool(course, workers=1) as pool, pytest.raises(JailUnavailable, match="before it was ready"):
        answers_of(pool, 1)


def test_hidden_tests_that_cannot_be_loaded_end_the_run(make_course, tmp_path):
    broken = make_course(limits=LIMITS)
    broken.build()
    hidden = broken.course.hidden_file(broken.name)
    hidden.write_text("import no_such_module")
    with Pool(broken.course, workers=1) as pool:
        pool.submit("a", grading(broken, broken.notebook(tmp_path / "a.ipynb", **GOOD)))
        with pytest.raises(UsageError, match="no_such_module"):
            answers_of(pool, 1)
