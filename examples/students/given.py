"""What the notebooks get as they are given out, and the sentences for those that are all right."""

from __future__ import annotations

from students.entry import Lost, lost
from students.styles import QUIZ

UNANSWERED = {name: lost(0, "not_attempted") for name in (*QUIZ, "q11_why", "q12_why")}

RELEASED_BUGS = {
    "wrong_view": lost(0, "not_attempted", "split-view-no-transpose"),
    "missing_transpose": lost(0, "not_attempted", "merge-no-transpose"),
    "batch_first": lost(0, "not_attempted", "torch-mha-without-batch-first"),
    "inverted_mask": lost(0, "not_attempted", "pad-mask-inverted"),
    "averaged_weights": lost(0, "not_attempted", "weights-averaged-over-heads"),
    "d_model_scaling": lost(0, "not_attempted", "scale-sqrt-d-model"),
    "indivisible_heads": lost(0, "not_attempted", "no-divisibility-check"),
}
"""What the cells of the bug hunt get as they are given out: no points, and still the name of the bug."""


def released(*tasks: str) -> dict[str, Lost]:
    """Say what tasks of the bug hunt get that were left alone."""
    return {task: RELEASED_BUGS[task] for task in tasks}


ALL_RIGHT = "Everything is right; what is missing are the points of the two texts, which a person gives."
HUNT_RIGHT = "All seven bugs are named and mended."
