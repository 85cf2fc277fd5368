"""What the jail costs: to get ready, per submission, and in memory; as ratios, so that the machine matters less.

Run it with `make bench`. The two sides of every ratio are timed in turn, so that a slow moment hits both.
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
from pathlib import Path

import torch
from headcheck.course.config import find_course
from headcheck.jail.client import Jail

TRAINING = """
import torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.AdamW(model.parameters())
x = torch.randn(128, 32); y = x.sum(1, keepdim=True)
for step in range({steps}):
    optimizer.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
"""
CELLS = (
    "import torch\nimport math",
    "def f(x):\n    return torch.softmax(x @ x.transpose(-2, -1), -1) @ x",
    "f(torch.ones(2, 3))",
)
CALLS = 20


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def bare_fork() -> None:
    """Fork this process, which has torch imported too, and wait for one byte."""
    read, write = os.pipe()
    if (pid := os.fork()) == 0:
        os.write(write, b"x")
        os._exit(0)
    os.read(read, 1)
    os.waitpid(pid, 0)
    os.close(read)
    os.close(write)


def jailed(jail: Jail, cells: tuple[str, ...], x: torch.Tensor) -> None:
    with jail.spawn() as child:
        for index, source in enumerate(cells):
            result = child.run_cell(index, source, 60)
            assert result.ok, result
        for _ in range(CALLS):
            child.call("f", (x,), {}, 10)


def warm(cells: tuple[str, ...], x: torch.Tensor) -> None:
    names: dict[str, object] = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()):
        for source in cells:
            exec(compile(source, "<cell>", "exec"), names)
        for _ in range(CALLS):
            names["f"](x)


def steps_for(target_s: float) -> int:
    """Find out how many training steps take about so long here."""
    trial = 200
    warm((*CELLS, TRAINING.format(steps=50)), torch.ones(2, 3))
    took = seconds(lambda: warm((*CELLS, TRAINING.format(steps=trial)), torch.ones(2, 3)))
    return max(1, round(trial * target_s / took))


def proportional_mb(root: int) -> float:
    """Add up the memory of a process and all below it; what several share is counted once."""
    total, waiting = 0.0, [root]
    while waiting:
        pid = waiting.pop()
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{pid}/task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
            text = Path(f"/proc/{pid}/smaps_rollup").read_text()
            total += next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")) / 1024
    return total


def two_workers_mb() -> float:
    """Grade with two whole graders at a time and return the most memory that they took together."""
    notebooks = [str(find_course().source_file(name)) for name in ("bug_hunt", "from_scratch") for _ in range(4)]
    command = [sys.executable, "-c", "from headcheck.cli import main; main()", "check", "--json", *notebooks]
    workers = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(2)]
    most = 0.0
    while any(worker.poll() is None for worker in workers):
        most = max(most, sum(proportional_mb(worker.pid) for worker in workers))
        time.sleep(0.05)
    assert all(worker.returncode == 0 for worker in workers)
    return most


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--no-memory", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    x = torch.randn(2, 5, 8)
    cells = (*CELLS, TRAINING.format(steps=steps_for(0.5)))
    times: dict[str, list[float]] = {name: [] for name in ("fork", "ready", "jailed", "warm", "small", "small warm")}
    with Jail() as jail:
        jail.spawn().close()
        print(f"isolation {jail.isolation}")
        for _ in range(options.rounds):
            times["fork"].append(seconds(bare_fork))
            start = time.perf_counter()
            child = jail.spawn()
            times["ready"].append(time.perf_counter() - start)
            child.close()
            times["jailed"].append(seconds(lambda: jailed(jail, cells, x)))
            times["warm"].append(seconds(lambda: warm(cells, x)))
            times["small"].append(seconds(lambda: jailed(jail, CELLS, x)))
            times["small warm"].append(seconds(lambda: warm(CELLS, x)))
    ms = {name: 1e3 * statistics.median(values) for name, values in times.items()}
    print(f"bare fork + pipe round trip            {ms['fork']:8.1f} ms")
    print(f"request to jailed and ready            {ms['ready']:8.1f} ms   {ms['ready'] / ms['fork']:5.2f} x")
    print(f"submission with training, warm process {ms['warm']:8.1f} ms")
    print(
        f"submission with training, jailed       {ms['jailed']:8.1f} ms   {ms['jailed'] / ms['warm']:5.2f} x (aim: 1.3)"
    )
    print(f"submission without training, jailed    {ms['small']:8.1f} ms   (warm process {ms['small warm']:.1f} ms)")
    if not options.no_memory:
        print(f"two graders with their jails together  {two_workers_mb():8.0f} MB   (aim: under 1500)")


if __name__ == "__main__":
    main()
