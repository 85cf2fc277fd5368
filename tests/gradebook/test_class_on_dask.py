"""A class graded by the workers of a Dask scheduler, one of which is killed half-way."""

import pytest
from deadly import DEADLY, deadly_text, grade, hand_in, verdicts, wishing
from headcheck.errors import UsageError
from headcheck.grading import cluster as cluster_module
from nbgrader.api import Gradebook
from small_course import GOOD, LIMITS, TEXT, lay_out, own_modules

distributed = pytest.importorskip("distributed")

pytestmark = pytest.mark.filterwarnings("ignore")  # Dask's own, about what it finds in a machine


@pytest.fixture(scope="module")
def lab():
    """Two workers that stand for two machines."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0", silence_logs=50
    ) as made:
        yield made


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    with own_modules():
        made = lay_out(tmp_path_factory.mktemp("dask") / "course", deadly_text(TEXT), DEADLY, LIMITS)
        made.build()
    return made


def test_every_result_is_there_and_none_twice_although_a_worker_was_killed(lab, tiny):
    students = [f"s{number}" for number in range(8)]
    for student in students:
        hand_in(tiny, student, **(wishing("die once") if student == "s3" else GOOD))
    status, text = grade(tiny, dask=lab.scheduler_address)
    assert status == 0, text
    assert (tiny.root / "attempts").read_text().split("\n").count("die once") == 2
    assert verdicts(tiny) == dict.fromkeys(students, 6)
    with Gradebook(f"sqlite:///{tiny.root}/gradebook.db") as gradebook:
        submissions = gradebook.find_assignment(tiny.name).submissions
        assert sorted((s.student.id, s.score) for s in submissions) == [(student, 6) for student in students]
    assert all((tiny.root / "feedback" / s / tiny.name / f"{tiny.name}.html").is_file() for s in students)


def test_workers_with_other_versions_are_refused_by_name(lab, tiny, monkeypatch):
    hand_in(tiny, "new", **GOOD)
    monkeypatch.setattr(cluster_module, "versions", lambda: {"torch": "1.0"})
    with pytest.raises(UsageError, match=r"is not as this machine: torch .* / 1\.0"):
        grade(tiny, dask=lab.scheduler_address)


def test_a_scheduler_that_does_not_answer_is_said(tiny, monkeypatch):
    monkeypatch.setattr(cluster_module, "CONNECT_S", 1)
    hand_in(tiny, "new", **GOOD)
    with pytest.raises(UsageError, match="no scheduler answers"):
        grade(tiny, dask="tcp://127.0.0.1:9")
