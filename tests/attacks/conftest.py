"""Arenas are started when the first attack needs them and shared by all others."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

MOST_AT_A_TIME = 4
STAGE = str(Path(__file__).parent / "stage.py")


class Opponent:
    """An arena in a process of its own."""

    def __init__(self, who: str, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, STAGE, who, *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.about = self._read()
        self.broken = False

    def attack(self, name: str) -> dict[str, Any]:
        """Have one attack made; what it won is in `won`."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{name}\n")
        self.process.stdin.flush()
        reply = self._read()
        self.broken = "failed" in reply
        return reply

    def _read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            assert self.process.stderr is not None
            return {"failed": self.process.stderr.read()[-500:] or "the arena ended"}
        return dict(json.loads(line))

    def close(self) -> None:
        """End it."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.process.stdout.close()
        self.process.stderr.close()


@pytest.fixture(scope="session")
def arena() -> Iterator[Callable[..., Opponent]]:
    """`arena(who, *arguments)`: the arena with these settings; skips the test when it cannot be set up here."""
    started: dict[tuple[str, ...], Opponent] = {}

    def get(who: str, *arguments: str) -> Opponent:
        if who == "root" and os.geteuid() != 0:
            pytest.skip("the suite does not run as root")
        key = (who, *arguments)
        if key in started and started[key].broken:
            started.pop(key).close()
        while key not in started and len(started) >= MOST_AT_A_TIME:
            started.pop(next(iter(started))).close()  # the oldest; each takes some 500 MB
        if key not in started:
            started[key] = Opponent(who, *arguments)
        if "failed" in started[key].about:
            pytest.skip(f"no arena here: {started[key].about['failed']}")
        return started[key]

    yield get
    for opponent in started.values():
        opponent.close()
