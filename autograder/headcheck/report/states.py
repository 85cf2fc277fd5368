"""What people call the states of a task."""

from __future__ import annotations

STATE_NAMES = {
    "correct": "correct",
    "partial": "partly correct",
    "incorrect": "not correct",
    "not_attempted": "not attempted",
    "error": "no result",
    "timeout": "took too long",
    "manual": "read by a person",
}
