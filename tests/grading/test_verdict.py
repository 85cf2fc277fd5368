"""The JSON form that tools outside the project read."""

import json

import pytest
from headcheck.grading.verdict import CellOutput, Divergence, TaskVerdict, Verdict

TASK = TaskVerdict("a", 1.5, 2.0, "partial", "Half.", ("squared",), Divergence("scores", 4, 2), ("detail",))
VERDICT = Verdict("n.ipynb", "tiny", 1.5, 2.0, "A", (TASK,), ("a note",), {0: CellOutput("printed")})


def test_the_json_form_has_exactly_the_stable_fields():
    assert VERDICT.to_json() == {
        "notebook": "n.ipynb",
        "assignment": "tiny",
        "score": 1.5,
        "max_score": 2,
        "isolation": "A",
        "tasks": [
            {
                "task": "a",
                "score": 1.5,
                "max_score": 2,
                "state": "partial",
                "message": "Half.",
                "mistakes": ["squared"],
                "divergence": {"stage": "scores", "cell": 4, "line": 2},
            }
        ],
        "notes": ["a note"],
        "memory_mb": None,
    }


def test_without_a_divergence_the_field_is_null():
    task = TaskVerdict("a", 0, 2, "error", "No.")
    form = Verdict("n", "tiny", 0, 2, "A", (task,)).to_json()
    assert form["tasks"][0]["divergence"] is None
    assert form["tasks"][0]["mistakes"] == form["notes"] == []


def test_it_is_plain_json():
    assert json.loads(json.dumps(VERDICT.to_json(), allow_nan=False)) == VERDICT.to_json()


@pytest.mark.parametrize(
    ("points", "shown"), [(2.0, "2"), (0, "0"), (0.5, "0.5"), (2 / 3, "0.6667"), (0.1 + 0.2, "0.3")]
)
def test_points_are_written_whole_or_with_four_digits(points, shown):
    form = Verdict("n", "tiny", points, 2, "A", ()).to_json()
    assert json.dumps(form["score"]) == shown
