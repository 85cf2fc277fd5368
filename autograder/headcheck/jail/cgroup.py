"""A control group (version 2) per child, where some were delegated to us: limits that count all of a child together."""

import contextlib
import functools
import itertools
import os
import time
from dataclasses import dataclass
from pathlib import Path

from headcheck.i18n import N_

CONTROLLERS = ("memory", "pids")
_KEEPER = "headcheck-grader"
_REMOVE_S = 2.0
_OVERHEAD_MB = 64  # what supervisor and child copy of the zygote's memory by merely running
_HELPERS = 4  # processes beside the student's threads


class NotDelegated(Exception):
    """No control groups for us; the text says why."""


@dataclass(frozen=True)
class Groups:
    """Makes groups below one folder of the control group file system.

    Attributes:
        folder: our own group.
        controllers: those that are switched on in it.
    """

    folder: Path
    controllers: tuple[str, ...]

    def make(self, memory_mb: int, threads: int) -> Path:
        """Make a group for one child.

        Args:
            memory_mb: most memory of all its processes together, MB.
            threads: most threads.

        Returns:
            Its folder.

        Raises:
            OSError: the kernel refused.
        """
        group = self.folder / f"headcheck-{os.getpid()}-{next(_numbers)}"
        group.mkdir()
        if "memory" in self.controllers:
            (group / "memory.max").write_text(str((memory_mb + _OVERHEAD_MB) << 20))
            (group / "memory.oom.group").write_text("1")
            with contextlib.suppress(OSError):  # a machine without swap accounting
                (group / "memory.swap.max").write_text("0")
        if "pids" in self.controllers:
            (group / "pids.max").write_text(str(threads + _HELPERS))
        return group


_numbers = itertools.count()


def join(group: str) -> None:
    """Move this process into a group."""
    Path(group, "cgroup.procs").write_text("0")


def remove(group: Path) -> None:
    """End whatever still lives in a group, and remove it."""
    with contextlib.suppress(OSError):
        (group / "cgroup.kill").write_text("1")
    until = time.monotonic() + _REMOVE_S
    while group.is_dir():
        try:
            group.rmdir()
        except OSError:  # its processes are still being taken down
            if time.monotonic() > until:
                return
            time.sleep(0.005)


@functools.cache
def reason_for_none() -> str:
    """Say why there are no control groups for us; "" when there are."""
    try:
        delegated()
    except NotDelegated as error:
        return str(error)
    return ""


@functools.cache
def delegated() -> Groups:
    """Take possession of our own group, once per process; it must happen before the zygote is started.

    Raises:
        NotDelegated: it is not ours to divide.
    """
    folder = own_group(Path("/proc/self/cgroup").read_text(), Path("/proc/self/mountinfo").read_text())
    return divide(folder, CONTROLLERS)


def own_group(cgroup: str, mountinfo: str) -> Path:
    """Find the folder of this process's group.

    Args:
        cgroup: content of /proc/self/cgroup.
        mountinfo: content of /proc/self/mountinfo.

    Raises:
        NotDelegated: version 2 is not in use here.
    """
    paths = [line.removeprefix("0::") for line in cgroup.splitlines() if line.startswith("0::")]
    mounts = [line.split(" - ", 1) for line in mountinfo.splitlines()]
    points = [left.split()[4] for left, right in mounts if right.split()[0] == "cgroup2"]
    if not paths or not points or "/.." in paths[0]:
        raise NotDelegated(N_("no control groups of version 2"))
    folder = Path(points[0]) / paths[0].lstrip("/")
    return folder.parent if folder.name == _KEEPER else folder  # our starter has divided it already


def divide(folder: Path, controllers: tuple[str, ...]) -> Groups:
    """Make a group ready to hold groups of children: its processes must leave it for one of its own first.

    Raises:
        NotDelegated: we may not, or others are in it.
    """
    try:
        offered = (folder / "cgroup.controllers").read_text().split()
        if not set(controllers) <= set(offered):
            raise NotDelegated(N_("the controllers for memory and processes are not there"))
        if not os.access(folder, os.W_OK):
            raise NotDelegated(N_("not delegated to this user"))
        if not set(controllers) <= set((folder / "cgroup.subtree_control").read_text().split()):
            _leave_for_keeper(folder, controllers)
        groups = Groups(folder, controllers)
        remove(groups.make(memory_mb=256, threads=8))
    except OSError as error:
        raise NotDelegated(N_("others are in our control group, or the kernel refuses")) from error
    return groups


def _leave_for_keeper(folder: Path, controllers: tuple[str, ...]) -> None:
    keeper = folder / _KEEPER
    keeper.mkdir(exist_ok=True)
    join(str(keeper))
    try:
        (folder / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in controllers))
    except OSError:
        join(str(folder))
        with contextlib.suppress(OSError):
            keeper.rmdir()
        raise
