"""What one full `bug_hunt` submission costs, hidden graders included, beside a fresh `import torch` and the bare work.

Run it with `make bench`. All three are timed in turn, in one go, so that a slow moment of the machine hits all.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import torch
from headcheck.course.config import find_course
from headcheck.course.submission import Submission, read_submission
from headcheck.grading.grade import Grader, make_jail, with_grader
from headcheck.grading.process import StudentProcess
from headcheck.jail.client import Child

ASSIGNMENT = "bug_hunt"


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def import_torch() -> None:
    subprocess.run([sys.executable, "-c", "import torch"], check=True)


def bare(submission: Submission, calls: list[tuple[str, tuple, dict]]) -> None:
    """Run the same cells and calls in this warm process: no jail, no hidden graders."""
    names: dict[str, object] = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()):
        for cell in submission.cells:
            if cell.runs:
                exec(compile(cell.source, "<cell>", "exec"), names)
        for name, args, kwargs in calls:
            with contextlib.suppress(Exception):
                names[name](*args, **kwargs)


class Recorder(StudentProcess):
    """A student's process that remembers which functions were called."""

    calls: list[tuple[str, tuple, dict]]

    def ask(self, request: Callable) -> object:
        return super().ask(lambda child, seconds: request(Listener(child, self.calls), seconds))


class Listener:
    """A child that writes calls down before it makes them."""

    def __init__(self, child: Child, calls: list[tuple[str, tuple, dict]]) -> None:
        self._child, self._calls = child, calls

    def call(self, name: str, args: tuple, kwargs: dict, deadline_s: float) -> object:
        self._calls.append((name, args, kwargs))
        return self._child.call(name, args, kwargs, deadline_s)

    def __getattr__(self, name: str) -> object:
        return getattr(self._child, name)


def recorded_calls(grader: Grader, submission: Submission) -> list[tuple[str, tuple, dict]]:
    process = Recorder(grader._jail, submission, grader.course.limits)
    process.calls = []
    try:
        process.start()
        grader._tests.run(process)
    finally:
        process.close()
    return process.calls


def measure(grader: Grader, rounds: int) -> dict[str, list[float]]:
    submission = read_submission(grader.course.source_file(ASSIGNMENT), grader.assignment)
    verdict = grader.grade(submission, "warm-up")
    assert verdict.score == verdict.max_score, "the model answers must earn full points"
    calls = recorded_calls(grader, submission)
    print(f"{len(submission.cells)} cells, {len(calls)} calls, {verdict.score:g} points, isolation {verdict.isolation}")
    bare(submission, calls)
    times: dict[str, list[float]] = {"graded": [], "bare": [], "import": []}
    for _round in range(rounds):
        times["graded"].append(seconds(lambda: grader.grade(submission, "timed")))
        times["bare"].append(seconds(lambda: bare(submission, calls)))
        times["import"].append(seconds(import_torch))
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    torch.set_num_threads(1)
    os.environ["NBGRADER_EXECUTION"] = "autograde"  # as in the jail: both sides leave out the pictures
    course = find_course()
    with make_jail(course) as jail:
        times = with_grader(course, ASSIGNMENT, jail, lambda grader: measure(grader, rounds))
    middle = {name: statistics.median(values) for name, values in times.items()}
    print(f"graded, hidden graders included  {middle['graded'] * 1e3:8.1f} ms")
    print(f"same cells and calls, bare       {middle['bare'] * 1e3:8.1f} ms")
    print(f"fresh `import torch`             {middle['import'] * 1e3:8.1f} ms")
    print(f"graded / import torch            {middle['graded'] / middle['import']:8.3f}   (wanted: under 0.1)")
    print(f"graded / bare                    {middle['graded'] / middle['bare']:8.2f}")


if __name__ == "__main__":
    main()
