"""`headcheck doctor`, the least isolation that a course accepts, and what trusting submissions means."""

import json
import os

import pytest
from click.testing import CliRunner
from headcheck import doctor
from headcheck.cli import main
from headcheck.course.config import load_course
from headcheck.errors import UsageError
from headcheck.grading import grade
from headcheck.grading.grade import TRUST, make_jail, submissions_are_trusted
from headcheck.jail import canary, client
from headcheck.jail.client import Jail
from headcheck.jail.errors import JailUnavailable
from small_course import GOOD


@pytest.fixture(autouse=True)
def distrust(monkeypatch):
    monkeypatch.setenv(TRUST, "0")  # restored afterwards, whatever a command sets


@pytest.fixture
def weak(monkeypatch):
    """A machine on which one canary gets out."""
    monkeypatch.setattr(canary, "escaped", lambda child: ("connect",))


def set_minimum(tiny, text):
    path = tiny.root / "headcheck.toml"
    path.write_text(f"{path.read_text()}\n[jail]\n{text}\n")


def run(*arguments):
    return CliRunner().invoke(main, list(arguments))


def test_the_doctor_shows_layers_canaries_and_the_level(tiny):
    result = run("doctor", "--course", str(tiny.root))
    assert result.exit_code == 0
    for word in ("namespaces", "landlock", "seccomp", "rlimits", "run a program", "held", "isolation"):
        assert word in result.output
    assert "GOT OUT" not in result.output


def test_the_doctor_says_what_to_do_when_grading_would_refuse(tiny, weak):
    result = run("doctor", "--course", str(tiny.root))
    assert result.exit_code == 1
    assert "GOT OUT" in result.output
    assert "isolation none" in result.output
    assert "--trust-submissions" in result.output


def test_the_doctor_tells_why_there_is_no_jail_at_all(tiny, monkeypatch):
    monkeypatch.setattr(client, "unsupported", lambda: "the jail needs Linux, this is darwin")
    result = run("doctor", "--course", str(tiny.root))
    assert result.exit_code == 1
    assert "needs Linux" in result.output


def test_the_doctor_works_without_a_course(tmp_path, monkeypatch):
    monkeypatch.setattr(doctor, "find_course", lambda folder: (_ for _ in ()).throw(UsageError("none")))
    assert doctor._minimum(tmp_path) == "B"


@pytest.mark.parametrize(("text", "minimum"), [("", "B"), ('minimum = "A"', "A"), ('minimum = "B"', "B")])
def test_a_course_says_the_least_it_accepts(make_course, text, minimum):
    tiny = make_course()
    set_minimum(tiny, text)
    assert load_course(tiny.root).minimum_isolation == minimum
    assert make_jail(load_course(tiny.root)).minimum == minimum


@pytest.mark.parametrize(
    "text", ['minimum = "none"', 'minimum = "C"', "minimum = 1", 'minumum = "A"', 'minimum = ["A"]']
)
def test_a_course_cannot_accept_anything_else(make_course, text):
    tiny = make_course()
    set_minimum(tiny, text)
    with pytest.raises(UsageError, match=r"\[jail\] takes"):
        load_course(tiny.root)


def test_below_the_minimum_grading_refuses_and_says_what_to_do(tiny, tmp_path, weak):
    path = tiny.notebook(tmp_path / f"{tiny.name}.ipynb", **GOOD)
    result = run("check", "--json", "--course", str(tiny.root), str(path))
    assert result.exit_code == 2
    assert "confined to level none, and B is the least" in result.output
    assert "--trust-submissions" in result.output
    assert '"score"' not in result.output


def test_with_trusted_submissions_every_verdict_says_so(tiny, tmp_path, weak):
    path = tiny.notebook(tmp_path / f"{tiny.name}.ipynb", **GOOD)
    result = run("check", "--json", "--trust-submissions", "--course", str(tiny.root), str(path))
    assert result.exit_code == 0
    verdict = json.loads(result.output.splitlines()[-1])
    assert verdict["isolation"] == "none"
    assert "trusted" in " ".join(verdict["notes"])
    assert verdict["score"] == 5


def test_trust_is_for_one_run_and_never_makes_a_good_jail_weaker(monkeypatch):
    monkeypatch.setenv(TRUST, "yes")
    assert not submissions_are_trusted()
    monkeypatch.setenv(TRUST, "1")
    assert submissions_are_trusted()
    with Jail(minimum="none") as jail:
        assert jail.isolation in ("A", "B")


def test_a_layer_that_fails_half_way_ends_the_child(monkeypatch):
    with Jail() as jail:
        jail.spawn().close()
        monkeypatch.setattr(jail._started(), "mount_point", "/nonexistent")
        with pytest.raises(JailUnavailable, match="could not be locked down"):
            jail.spawn()


def test_the_memory_of_a_submission_is_part_of_its_verdict(tiny, jail, tmp_path):
    answers = {**GOOD, "double": GOOD["double"] + "\nkept = b'x' * (60 << 20)"}
    path = tiny.notebook(tmp_path / "work.ipynb", **answers)
    verdict = grade.with_grader(tiny.course, tiny.name, jail, lambda grader: grader.grade_file(path))
    assert verdict.memory_mb is not None
    assert 60 < verdict.memory_mb < 200
    assert verdict.to_json()["memory_mb"] == round(verdict.memory_mb, 1)
    assert os.environ[TRUST] == "0"
