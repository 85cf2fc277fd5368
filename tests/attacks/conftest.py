"""Arenas make their attacks one after the other; while one is asked for its results, the next is at work already."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

AT_A_TIME = 2
STAGE = str(Path(__file__).parents[1] / "stage.py")


class Opponent:
    """An arena in a process of its own, and the attacks that will be asked about.

    Args:
        arguments: of `stage.py`.
        names: of the attacks, in the order in which they are needed.
    """

    def __init__(self, arguments: tuple[str, ...], names: list[str]) -> None:
        self._arguments, self._names = arguments, names
        self._process: subprocess.Popen[str] | None = None
        self._about: dict[str, Any] = {}
        self._results: dict[str, dict[str, Any]] = {}

    def start(self) -> None:
        """Have it begin, if there is something left to do."""
        if self._process is None and self._names:
            self._about = {}
            self._process = subprocess.Popen(
                [sys.executable, STAGE, *self._arguments],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            )  # fmt: skip
            assert self._process.stdin is not None
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.write("".join(f"{name}\n" for name in self._names))
                self._process.stdin.close()

    @property
    def about(self) -> dict[str, Any]:
        """What the arena says about itself."""
        self._about = self._about or self._read()
        return self._about

    def attack(self, name: str) -> dict[str, Any]:
        """Wait for one attack; what it won is in `won`."""
        while name not in self._results:
            self.start()
            assert self.about
            result = self._read()
            self._results[self._names.pop(0)] = result
            if "failed" in result:
                self.close()
        return self._results[name]

    def _read(self) -> dict[str, Any]:
        assert self._process is not None
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            assert self._process.stderr is not None
            return {"failed": self._process.stderr.read()[-500:] or "the arena ended"}
        return dict(json.loads(line))

    def close(self) -> None:
        """End it."""
        if self._process is None:
            return
        if self._names:
            self._process.terminate()
        for stream in (self._process.stdout, self._process.stderr):
            assert stream is not None
            stream.close()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None


@pytest.fixture(scope="session")
def arena(request: pytest.FixtureRequest) -> Iterator[Callable[..., Opponent]]:
    """`arena(arguments)`: the arena with these settings; skips the test when it cannot be set up here."""
    opponents = {arguments: Opponent(arguments, names) for arguments, names in plan(request.session.items).items()}
    order = list(opponents)

    def get(arguments: tuple[str, ...]) -> Opponent:
        if arguments not in opponents:
            pytest.skip("the suite does not run as root")
        now = order.index(arguments)
        at_work = order[now : now + AT_A_TIME]
        for others in set(order) - set(at_work):
            opponents[others].close()
        for one in at_work:
            opponents[one].start()
        if reason := opponents[arguments].about.get("failed"):
            (pytest.skip if reason.startswith("JailUnavailable") else pytest.fail)(f"no arena here: {reason}")
        return opponents[arguments]

    yield get
    for opponent in opponents.values():
        opponent.close()


def plan(items: list[pytest.Item]) -> dict[tuple[str, ...], list[str]]:
    """List for each arena, in the order in which they are needed, the attacks that the selected tests ask about."""
    found: dict[tuple[str, ...], dict[str, None]] = {}
    for item in items:
        if not isinstance(item, pytest.Function) or "arena" not in item.fixturenames or not hasattr(item, "callspec"):
            continue
        parameters = item.callspec.params
        arguments = parameters.get("arguments")
        if arguments and (arguments[0] == "user" or os.geteuid() == 0):
            found.setdefault(arguments, {})[parameters["case"].name] = None
    return {arguments: list(names) for arguments, names in found.items()}
