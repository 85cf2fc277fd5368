"""All seven assignments: the model answers get every point, what was handed out gets none, by each way of grading."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

ROOT = Path(__file__).parents[2]
ASSIGNMENTS = ("quiz", "bug_hunt", "from_scratch", "two_relations", "torch_module", "head_roles", "head_count")
BY_HAND = {"quiz": 4.0}
"""Points that a person gives."""

AUTOGRADE = """
import sys
from nbgrader.apps import AutogradeApp, GenerateAssignmentApp
for name in sys.argv[1:]:
    for command in (GenerateAssignmentApp, AutogradeApp):
        command.launch_instance([name, "--create", "--CourseDirectory.release_directory=handed_out"])
        command.clear_instance()
"""
"""nbgrader's own commands for each assignment, in one process."""


def patient_course(folder):
    """Copy the course, with deadlines that a busy machine keeps as well."""
    for name in ("assignments", "source", "release", "solutions", "autograder/hidden"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    settings = (ROOT / "headcheck.toml").read_text()
    for short, long in (("cell_seconds = 20", "cell_seconds = 120"), ("call_seconds = 5", "call_seconds = 60")):
        assert short in settings
        settings = settings.replace(short, long)
    (folder / "headcheck.toml").write_text(settings.replace("submission_seconds = 120", "submission_seconds = 600"))
    return folder


def run(command, folder):
    """Run a command in the course; one torch thread, since two of them run at once."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "HEADCHECK_LANG": "en"}
    return subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """Scores by nbgrader's autograde, and the verdicts of `headcheck check` on source/ and release/ themselves."""
    course = patient_course(tmp_path_factory.mktemp("course"))
    for name in ASSIGNMENTS:
        for student, given in (("model", "source"), ("untouched", "release")):
            shutil.copytree(ROOT / given / name, course / "submitted" / student / name)
    shutil.copy(ROOT / "nbgrader_config.py", course)
    notebooks = [f"{given}/{name}/{name}.ipynb" for given in ("source", "release") for name in ASSIGNMENTS]
    headcheck = str(Path(sys.executable).parent / "headcheck")
    checking = run([headcheck, "check", "--json", *notebooks], course)
    autograding = run([sys.executable, "-c", AUTOGRADE, *ASSIGNMENTS], course)
    checked, complaints = checking.communicate(timeout=600)
    assert checking.returncode == 0, complaints
    _printed, log = autograding.communicate(timeout=600)
    assert autograding.returncode == 0, log
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as gradebook:
        scores = {
            (submission.student.id, name): submission.score
            for name in ASSIGNMENTS
            for submission in gradebook.assignment_submissions(name)
        }
    verdicts = {line["notebook"]: line for line in map(json.loads, checked.splitlines())}
    return scores, verdicts


def maximum(verdicts, name):
    return verdicts[f"source/{name}/{name}.ipynb"]["max_score"]


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_autograde_gives_the_model_answers_all_points_but_those_of_a_person(graded, name):
    scores, verdicts = graded
    assert scores["model", name] == maximum(verdicts, name) - BY_HAND.get(name, 0)


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_autograde_gives_nothing_for_what_was_handed_out(graded, name):
    assert graded[0]["untouched", name] == 0


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_check_takes_the_instructors_notebook_like_a_submission(graded, name):
    verdict = graded[1][f"source/{name}/{name}.ipynb"]
    assert verdict["score"] == verdict["max_score"] - BY_HAND.get(name, 0)
    assert {task["state"] for task in verdict["tasks"]} <= {"correct", "manual"}


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_check_finds_nothing_attempted_in_the_released_notebook(graded, name):
    verdict = graded[1][f"release/{name}/{name}.ipynb"]
    assert verdict["score"] == 0
    assert {task["state"] for task in verdict["tasks"]} == {"not_attempted"}
