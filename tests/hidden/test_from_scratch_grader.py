"""The hidden tests of attention from scratch: every style passes, every mistake loses points and is named."""

from importlib.util import find_spec

import matplotlib
import pytest
from from_scratch_students import CORPUS, MARKED, ROOT, exec_file, model_names
from headcheck.course.config import load_course
from headcheck.diagnosis.match import load_bank
from headcheck.grading.diagnose import diagnose
from headcheck.grading.local import LocalProcess
from headcheck.grading.session import hidden_tests

matplotlib.use("Agg")
TASK = "multi_head_attention"
COURSE = load_course(ROOT)
BANK = load_bank(COURSE)
CORRECT = [path for path in sorted((CORPUS / "correct").glob("*.py")) if path.stem != "einops" or find_spec("einops")]
WRONG = sorted((CORPUS / "wrong").glob("*.py"))
TIES = [{"mask-ignored", "mask-result-discarded"}, {"mask-fill-1e-9", "mask-multiplied-into-scores"}]


@pytest.fixture(scope="module")
def run():
    """Run the hidden tests of the task on names, several times: `run(names)`; all in one session of pytest."""
    model = model_names()

    def work(tests):
        def run(names, task=TASK):
            return tests.run(LocalProcess({**model, **names}), task)

        results["run"] = run
        for path in [*CORRECT, *WRONG]:
            results[path] = [run(exec_file(path, model)) for _round in range(3 if path in CORRECT else 1)]
        results["model"] = {task: run({}, task) for task in ("split_heads", "merge_heads", "attention", TASK)}
        results["empty"] = tests.run(LocalProcess({}), None)

    results = {}
    hidden_tests(COURSE, "from_scratch", work)
    return results


def points(outcomes):
    return sum(outcome.test.points for outcome in outcomes if outcome.error is None)


def test_the_model_answers_pass(run):
    assert {task: points(outcomes) for task, outcomes in run["model"].items()} == {
        "split_heads": 2,
        "merge_heads": 2,
        "attention": 4,
        TASK: 8,
    }


def test_an_empty_notebook_earns_nothing(run):
    assert points(run["empty"]) == 0


@pytest.mark.parametrize("path", CORRECT, ids=lambda path: path.stem)
def test_every_style_gets_full_points(run, path):
    for outcomes in run[path]:
        assert [(o.test.name, o.error) for o in outcomes if o.error is not None] == []


@pytest.mark.parametrize("path", WRONG, ids=lambda path: path.stem)
def test_every_mistake_loses_points_and_is_named(run, path):
    wanted = path.stem.replace("_", "-")
    (outcomes,) = run[path]
    if wanted == "mask-fp16-overflow":
        assert points(outcomes) == 8
        assert {name for outcome in outcomes for name in outcome.advice} == {wanted}
        return
    assert points(outcomes) < 8
    said = {name for o in outcomes if o.error is not None for name in getattr(o.error, "mistakes", ())}
    ids = {*diagnose(TASK, outcomes, BANK).ids, *said}
    assert wanted in ids
    assert ids == {wanted} or ids in TIES


def test_most_files_say_which_line_is_wrong():
    assert len(MARKED) >= 0.9 * len(WRONG)
