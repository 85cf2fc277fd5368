"""Runs nbgrader's own tests, which its wheel ships, with stock nbgrader and with headcheck's configuration.

python tests/peer/peer_suite.py [SUITE...]    prints the comparison; exit status 1 when they differ without a reason.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

HERE = Path(__file__).resolve().parent

SUITES = (
    "apps.test_nbgrader_autograde",
    "apps.test_api",
    "apps.test_nbgrader_generate_feedback",
    "apps.test_nbgrader_generate_assignment",
    "apps.test_nbgrader_export",
    "preprocessors.test_deduplicateids",
    "preprocessors.test_overwritecells",
    "preprocessors.test_overwritekernelspec",
    "preprocessors.test_saveautogrades",
    "preprocessors.test_getgrades",
    "preprocessors.test_limitoutput",
)

CONFIG = """\
from headcheck.gradebook.config import configure

c = get_config()
configure(c)
"""

DELIBERATE: dict[str, str] = {}
"""Test -> why it comes out otherwise with headcheck."""


@dataclass
class Run:
    """How the tests of all suites went in one way."""

    outcomes: dict[str, str] = field(default_factory=dict)
    """`suite::test` -> `passed`, `failed` or `skipped`."""
    seconds: dict[str, float] = field(default_factory=dict)


def run(suites: list[str], config: str, plugin: bool) -> Run:
    """Run the suites in a process of their own.

    Args:
        suites: names below `nbgrader.tests`.
        config: text of the `nbgrader_config.py` in Jupyter's configuration folder; the tests' own comes on top.
        plugin: whether tests of single steps get headcheck's.

    Returns:
        How each test ended.
    """
    result = Run()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "nbgrader_config.py").write_text(config, encoding="utf-8")
        environment = {
            **os.environ,
            "JUPYTER_CONFIG_DIR": folder,
            "PYTHONPATH": str(HERE),
            "USER": os.environ.get("USER", "nobody"),
        }
        for suite in suites:
            report = Path(folder) / f"{suite}.xml"
            command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}"]
            command += ["-p", "headcheck_steps"] if plugin else []
            start = time.monotonic()
            subprocess.run(
                [*command, "--pyargs", f"nbgrader.tests.{suite}"],
                cwd=folder,
                env=environment,
                stdout=subprocess.DEVNULL,
            )
            result.seconds[suite] = time.monotonic() - start
            result.outcomes |= {f"{suite}::{name}": outcome for name, outcome in read_report(report).items()}
    return result


def read_report(path: Path) -> dict[str, str]:
    """Read pytest's report: name of a test -> how it ended."""
    found = {}
    for case in ElementTree.parse(path).iter("testcase"):
        ends = {child.tag for child in case}
        found[case.get("name", "")] = "failed" if ends & {"failure", "error"} else "skipped" if ends else "passed"
    return found


def compare(stock: Run, ours: Run) -> tuple[list[str], list[str]]:
    """Compare two runs.

    Returns:
        Lines about differences that have a reason, and about those that have none.
    """
    explained, unexplained = [], []
    for name in sorted(stock.outcomes | ours.outcomes):
        before, after = stock.outcomes.get(name, "missing"), ours.outcomes.get(name, "missing")
        if before == after:
            continue
        line = f"{name}: stock {before}, headcheck {after}"
        reason = DELIBERATE.get(name, "")
        (explained if reason else unexplained).append(f"{line}  ({reason})" if reason else line)
    return explained, unexplained


def table(stock: Run, ours: Run) -> str:
    """Write the counts and times of each suite."""
    lines = [f"{'suite':42}{'stock':>34}{'headcheck':>34}"]
    for suite in stock.seconds:
        cells = []
        for one in (stock, ours):
            counts = Counter(end for name, end in one.outcomes.items() if name.startswith(f"{suite}::"))
            told = ", ".join(f"{counts[end]} {end}" for end in ("passed", "failed", "skipped") if counts[end])
            cells.append(f"{told} in {one.seconds[suite]:.0f} s")
        lines.append(f"{suite:42}{cells[0]:>34}{cells[1]:>34}")
    return "\n".join(lines)


def main() -> int:
    """Run both ways and print; return the exit status."""
    suites = sys.argv[1:] or list(SUITES)
    stock, ours = run(suites, "", plugin=False), run(suites, CONFIG, plugin=True)
    print(table(stock, ours))
    explained, unexplained = compare(stock, ours)
    for title, lines in (("Different on purpose:", explained), ("Different, and should not be:", unexplained)):
        if lines:
            print(title, *lines, sep="\n  ")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
