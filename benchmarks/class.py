"""What a class costs: headcheck, nbgrader with and without it, otter, side by side; growth, memory, a second run.

Run it with `python benchmarks/class.py` on a machine that does nothing else. It writes `benchmarks/results.md`;
`--json` prints the same figures for machines. Otter needs an environment of its own: `--otter FOLDER/bin/python`.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import psutil
from headcheck.course.config import Course, find_course
from headcheck.grading.versions import versions
from rivals import ASSIGNMENT, nbgrader, otter_zip, stock_class

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples" / "class"
RESULTS = Path(__file__).with_name("results.md")
ROUNDS = 3
"""How often what takes seconds is measured: one disturbance weighs more there than in what takes minutes."""

SAMPLE_S = 1.0
"""Looking costs processor time and holds up the forks of whoever is looked at, so a long run is seen less often."""


class Usage:
    """Watches a process and all below it: most memory (shared pages counted once), processor time as far as seen."""

    def __init__(self, pid: int) -> None:
        self._root = psutil.Process(pid)
        self._times: dict[tuple[int, float], float] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self.most_mb = 0.0

    def __enter__(self) -> Usage:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        start = time.monotonic()
        while not self._over.wait(max(SAMPLE_S, (time.monotonic() - start) / 10)):
            total = 0.0
            with contextlib.suppress(psutil.NoSuchProcess):
                for process in [self._root, *self._root.children(recursive=True)]:
                    with contextlib.suppress(psutil.Error, OSError):
                        times = process.cpu_times()
                        self._times[process.pid, process.create_time()] = times.user + times.system
                        total += process.memory_full_info().pss / 2**20
            self.most_mb = max(self.most_mb, total)

    @property
    def cpu_s(self) -> float:
        return sum(self._times.values())


def run(command: Sequence[str], cwd: Path) -> dict[str, float]:
    """Run a command to its end and measure it."""
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with Usage(process.pid) as usage:
        _out, err = process.communicate()
    wall = time.perf_counter() - start
    if process.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)} failed:\n{err.decode()[-2000:]}")
    return {"wall_s": wall, "cpu_s": usage.cpu_s, "most_mb": usage.most_mb}


def headcheck(folder: Path, *options: str) -> dict[str, float]:
    script = "from headcheck.cli import main; main()"
    return run([sys.executable, "-c", script, "grade", ASSIGNMENT, *options], folder)


def example_files() -> tuple[list[Path], list[Path]]:
    """Return the submissions of the example class: those of honest students, and those that hang, die or attack."""
    expected = json.loads((EXAMPLES / "expected.json").read_text())
    attackers = re.search(r"attackers \((.*?)\)", (EXAMPLES / "README.md").read_text())
    assert attackers is not None
    honest, bad = [], []
    for student, works in expected.items():
        path = EXAMPLES / "submitted" / student / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"
        if ASSIGNMENT not in works or not path.is_file():
            continue
        states = {task["state"] for task in works[ASSIGNMENT]["tasks"].values()}
        good = student not in attackers[1].split(", ") and not states & {"error", "timeout"}
        (honest if good else bad).append(path)
    return honest, bad


def lay_out(folder: Path, count: int, bad_every: int = 0) -> Path:
    """Make a class of honest students, every so-and-so-many-th of them hostile or broken."""
    honest, bad = example_files()
    for number in range(count):
        is_bad = bad_every and number % bad_every == bad_every - 1
        source = bad[number // bad_every % len(bad)] if is_bad else honest[number % len(honest)]
        target = folder / "submitted" / f"s{number:04d}" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"
        target.parent.mkdir(parents=True)
        shutil.copyfile(source, target)
    shutil.copyfile(EXAMPLES / "nbgrader_config.py", folder / "nbgrader_config.py")
    return folder


def scores(folder: Path) -> dict[str, float]:
    files = (folder / ".headcheck" / "verdicts" / ASSIGNMENT).glob("*/verdict.json")
    return {path.parent.name: json.loads(path.read_text())["verdict"]["score"] for path in files}


def side_by_side(course: Course, root: Path, count: int, otter: str | None) -> dict[str, object]:
    """Grade the same class in all ways: those that take seconds three times, before and after the long one."""
    lay_out(root / "model", count)
    autograde = [sys.executable, "-c", "from nbgrader.apps.nbgraderapp import main; main()", "autograde", ASSIGNMENT]
    ours: dict[str, Callable[[Path], dict[str, float]]] = {
        "headcheck grade, 2 workers": lambda folder: headcheck(folder, "--workers", "2"),
        "headcheck grade, 1 worker": lambda folder: headcheck(folder, "--workers", "1"),
        "nbgrader autograde, headcheck's configuration": lambda folder: run(autograde, folder),
    }
    rounds: dict[str, list[dict[str, float]]] = {name: [] for name in ours}
    found: dict[str, object] = {}
    for number in range(ROUNDS):
        for name, way in ours.items():
            folder = Path(shutil.copytree(root / "model", root / "ours"))
            nbgrader(folder, "generate_assignment")
            rounds[name].append(way(folder))
            shutil.rmtree(folder)
        if number == 0:
            stock_class(course, root / "stock", root / "model" / "submitted")
            stock = run(autograde, root / "stock")
    for name, each in rounds.items():
        walls = sorted(one["wall_s"] for one in each)
        found[name] = {**each[0], "wall_s": walls[len(walls) // 2], "wall_from_s": walls[0], "wall_to_s": walls[-1]}
    found["nbgrader autograde, stock"] = stock
    if otter is None:
        print(
            "otter is not measured: name the Python of an environment with otter-grader and torch by --otter",
            file=sys.stderr,
        )
    else:
        found["otter run"] = otter_run(course, root, otter)
    return {"submissions": count, "ways": found}


def otter_run(course: Course, root: Path, python: str) -> dict[str, float]:
    """Let otter grade the class, one notebook after the other in one process, as it is meant to be called."""
    archive, output = otter_zip(course, root / "autograder.zip"), root / "otter"
    output.mkdir()
    script = (
        "import sys; from otter.run import main\n"
        "for path in sys.argv[3:]: main(path, autograder=sys.argv[1], output_dir=sys.argv[2], no_logo=True)"
    )
    notebooks = map(str, sorted((root / "model" / "submitted").glob("*/*/*.ipynb")))
    return run([python, "-c", script, str(archive), str(output), *notebooks], root)


def growth(root: Path, counts: Sequence[int]) -> dict[str, object]:
    """Grade classes of different sizes with two workers, and the largest with one as well."""
    found = {}
    for count, workers in [*((count, 2) for count in counts), (max(counts), 1)]:
        measured = headcheck(lay_out(root / "class", count), "--workers", str(workers))
        each = {"per_submission_ms": 1e3 * measured["wall_s"] / count}
        found[f"{count} with {workers}"] = {"submissions": count, "workers": workers, **measured, **each}
        shutil.rmtree(root / "class")
    return found


def again(root: Path, count: int) -> dict[str, object]:
    """Grade a class, and grade it once more."""
    folder = lay_out(root / "again", count)
    first, second = headcheck(folder), headcheck(folder)
    return {"submissions": count, "first": first, "second": second, "share": second["wall_s"] / first["wall_s"]}


def hostile(root: Path, count: int) -> dict[str, object]:
    """Grade a class with attackers in it, and one without."""
    clean, mixed = lay_out(root / "clean", count), lay_out(root / "mixed", count, bad_every=20)
    headcheck(clean)
    measured = headcheck(mixed)
    ours, theirs = scores(clean), scores(mixed)
    bad = {f"s{number:04d}" for number in range(count) if number % 20 == 19}
    different = [name for name in ours if name not in bad and ours[name] != theirs.get(name)]
    return {
        "submissions": count,
        "hostile": len(bad),
        "without_verdict": count - len(theirs),
        "honest_scores_that_differ": len(different),
        **measured,
    }


PARTS: dict[str, Callable[[argparse.Namespace, Path], dict[str, object]]] = {
    "speed": lambda chosen, root: side_by_side(find_course(ROOT), root, chosen.speed, chosen.otter),
    "growth": lambda chosen, root: growth(root, chosen.growth),
    "again": lambda chosen, root: again(root, chosen.again),
    "hostile": lambda chosen, root: hostile(root, chosen.hostile),
}


def main() -> None:
    here = Path(sys.executable).parent
    os.environ["PATH"] = f"{here}{os.pathsep}{os.environ['PATH']}"  # nbgrader calls alembic by its name
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the figures for machines")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), help="leave out the other parts")
    parser.add_argument("--otter", help="Python of an environment with otter-grader and torch")
    parser.add_argument("--speed", type=int, default=40)
    parser.add_argument("--growth", type=int, nargs="+", default=[100, 1000])
    parser.add_argument("--again", type=int, default=300)
    parser.add_argument("--hostile", type=int, default=300)
    chosen = parser.parse_args()
    figures: dict[str, object] = {
        "machine": {"cores": len(os.sched_getaffinity(0)), "load": os.getloadavg()[0], "system": platform.platform()},
        "versions": versions(),
    }
    for name in chosen.only:
        with tempfile.TemporaryDirectory(prefix="headcheck-benchmark-") as folder:
            figures[name] = PARTS[name](chosen, Path(folder))
    from class_results import page

    RESULTS.write_text(page(figures))
    print(json.dumps(figures, indent=1) if chosen.json else page(figures))


if __name__ == "__main__":
    main()
