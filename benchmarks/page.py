"""The practice page on a slow machine: its size, how soon it can be used, and whether anything moves meanwhile."""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from headcheck.quiz.bank import open_bank
from headcheck.quiz.site import Site, build_site
from headcheck.quiz.texts import LANGUAGES

SLOWDOWN = 4
"""How many times slower than this machine the browser's processor is made; 4 is Lighthouse's value for a phone."""

WATCH = """window.shift = 0; new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.shift += entry.value;
}).observe({type: 'layout-shift', buffered: true});"""


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        print("no Chromium on this machine; install one (Debian: apt-get install chromium)", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "page")
        build_site(Site(open_bank(), LANGUAGES), out)
        figures = {"kilobytes": size(out) / 1e3, **measured(program, out, arguments.rounds)}
    if arguments.json:
        print(json.dumps(figures))
    else:
        print(f"without fonts {figures['kilobytes']:.0f} kB (wanted: under 1000)")
        print(f"usable after {figures['usable_s']:.2f} s on a processor {SLOWDOWN} times slower (wanted: under 1)")
        print(f"layout shift {figures['shift']:.4f} (wanted: 0)")
    return 0


def size(folder: Path) -> int:
    """Return the bytes of all files but fonts."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and path.suffix != ".woff2")


def measured(program: str, folder: Path, rounds: int) -> dict[str, float]:
    """Open the page in fresh profiles; return the median time until it can be used, seconds, and the largest shift."""
    from playwright.sync_api import sync_playwright

    times, shifts = [], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for _round in range(rounds):
            context = browser.new_context()
            page = context.new_page()
            context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
            page.add_init_script(WATCH)
            page.goto((folder / "index.html").as_uri())
            page.wait_for_function("performance.getEntriesByName('usable').length")
            times.append(page.evaluate("performance.getEntriesByName('usable')[0].startTime") / 1000)
            page.wait_for_timeout(300)
            shifts.append(page.evaluate("window.shift"))
            context.close()
        browser.close()
    return {"usable_s": statistics.median(times), "shift": max(shifts)}


if __name__ == "__main__":
    sys.exit(main())
