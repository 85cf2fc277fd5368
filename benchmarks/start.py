"""How soon `headcheck quiz` asks its first question, as a multiple of what an empty Python program takes.

Run it with `make bench`. The goal is under half a second. Both are timed in turn, so that a slow moment of the machine
hits both; `headcheck --version` shows what the command costs without the quiz.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

GOAL = 0.5
COMMAND = [sys.executable, "-c", "from headcheck.cli import main; main()"]


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def empty() -> None:
    subprocess.run([sys.executable, "-c", "pass"], check=True)


def version() -> None:
    subprocess.run([*COMMAND, "--version"], check=True, stdout=subprocess.DEVNULL)


def first_prompt() -> float:
    """Start the quiz and wait for its prompt; how long it takes to end does not count."""
    start = time.perf_counter()
    with subprocess.Popen([*COMMAND, "quiz"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        seen = b""
        while not seen.endswith(b"\n> "):
            read = os.read(process.stdout.fileno(), 4096)
            if not read:
                raise SystemExit(f"the quiz ended without a prompt: {seen!r}")
            seen += read
        taken = time.perf_counter() - start
        process.stdin.close()
        process.stdout.read()
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HEADCHECK_DATA"] = folder
        first_prompt()  # compiles to .pyc, makes the progress file
        rows = [(seconds(empty), seconds(version), first_prompt()) for _round in range(rounds)]
    bare, command, quiz = (statistics.median(column) for column in zip(*rows, strict=True))
    print(f"python -c pass        {bare * 1000:6.0f} ms")
    print(f"headcheck --version   {command * 1000:6.0f} ms   {command / bare:5.1f} x")
    print(f"headcheck quiz        {quiz * 1000:6.0f} ms   {quiz / bare:5.1f} x   to the prompt (goal: {GOAL:g} s)")


if __name__ == "__main__":
    main()
