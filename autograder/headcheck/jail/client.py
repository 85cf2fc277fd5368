"""The trusted side of the jail: start children and end them."""

import contextlib
import functools
import os
import socket
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Self

from headcheck.i18n import N_, _
from headcheck.jail import canary, cgroup, rootfs, scratch
from headcheck.jail.channel import Channel
from headcheck.jail.child import Child
from headcheck.jail.errors import JailUnavailable
from headcheck.jail.launcher import Zygote, ZygoteGone, next_zygote
from headcheck.jail.layers import LAYERS, NAMESPACES, Plan, enough, level
from headcheck.jail.linux import unsupported
from headcheck.jail.offered import Offered
from headcheck.jail.process import Process
from headcheck.jail.results import CellError, CellResult, Limits, Usage
from headcheck.jail.scratch import Scratch
from headcheck.jail.slots import Slot

__all__ = ["CellError", "CellResult", "Child", "Jail", "Limits", "Usage"]

FORKS_PER_ZYGOTE = 1000
SWITCHED_OFF = N_("switched off")


class Jail:
    """Makes jailed children, each a fresh copy of a process that has torch imported.

    One jail serves one thread; as many as you like may run at the same time, as root each with a user id of its own.
    The first use takes about two seconds, a child some 20 ms.

    Args:
        limits: what each child may use.
        minimum: the weakest isolation to accept: "A", "B", or "none" when the student code is trusted.
        layers: layers to use when they are offered; tests leave some out to show what each is for.
        keep_out: folders that student code must never see, such as the course; refused when Python lives around them.

    Raises:
        JailUnavailable: this machine cannot confine anything, or a folder to keep out would be shown.
    """

    def __init__(
        self,
        *,
        limits: Limits = Limits(),  # noqa: B008  frozen
        minimum: str = "B",
        layers: Iterable[str] = LAYERS,
        keep_out: Iterable[str | os.PathLike[str]] = (),
    ) -> None:
        if reason := unsupported():
            raise JailUnavailable(reason)
        if shown := rootfs.exposed(keep_out):
            raise JailUnavailable(
                _("student code must be able to read Python, and {folder} lies inside it; move the course").format(
                    folder=shown[0]
                )
            )
        self._limits, self.minimum = limits, minimum
        self._wanted = tuple(layers)
        self._zygote: Zygote | None = None
        self._slot: Slot | None = None
        self._scratch: Scratch | None = None
        self._children: list[Child] = []
        self._offered = Offered()
        self._files = ""

    @property
    def isolation(self) -> str:
        """How well children are confined: "A", "B" or "none", as a child of this jail has just shown; see `canary`."""
        reached = level(self.layers)
        return "none" if reached == "none" or self.escaped else reached

    @property
    def layers(self) -> tuple[str, ...]:
        """The layers that a child gets: those wanted that this machine offers."""
        offer = self._started().offer
        return tuple(name for name in LAYERS if name in self._wanted and not offer[name])

    @property
    def missing(self) -> list[str]:
        """What there is less than everything: one text per layer that is missing, and what a canary could do."""
        offer = self._started().offer
        texts = [f"{name}: {_(offer[name] or SWITCHED_OFF)}" for name in LAYERS if name not in self.layers]
        if level(self.layers) != "none" and self.escaped:
            texts.append(_("a child could: {what}").format(what=canary.described(self.escaped)))
        return texts

    @functools.cached_property
    def escaped(self) -> tuple[str, ...]:
        """Names of the canaries that got out of a real child.

        Raises:
            JailUnavailable: there is no child to try it with.
        """
        with self._child() as child:
            return canary.escaped(child)

    def offer_files(self, folder: Path | None) -> None:
        """Show a folder's files, but no notebook, to the children to come, in their working folder and read-only."""
        self._files = self._offered.copy_of(folder) if folder is not None else ""

    def withdraw_files(self, folder: Path) -> None:
        """Show a folder's files no longer, and forget them: another submission's may lie there next time."""
        self._files = ""
        self._offered.forget(folder)

    def spawn(self) -> Child:
        """Make a child, locked down and ready, that has seen nothing yet.

        A zygote that has made many children is replaced while none of them lives, in case that something adds up.

        Raises:
            JailUnavailable: the child could not be confined as this machine should allow it, or that is too little.
        """
        self._children = [child for child in self._children if child.open]
        if not self._children and self._started().forks >= FORKS_PER_ZYGOTE:
            self._retire()
        if not enough(self.isolation, self.minimum):
            raise JailUnavailable(self._refusal())
        child = self._child()
        self._children.append(child)
        return child

    def _refusal(self) -> str:
        return _(
            "student code would be confined to level {got}, and {wanted} is the least that is accepted here "
            "({reasons}); run headcheck in a container or virtual machine that allows more, or, if you trust the "
            "submissions as your own code, say --trust-submissions"
        ).format(got=self.isolation, wanted=self.minimum, reasons="; ".join(self.missing))

    def _child(self) -> Child:
        """Make a child; a zygote that is gone is replaced once."""
        try:
            return self._fork()
        except ZygoteGone:
            self._retire()
        try:
            return self._fork()
        except ZygoteGone as error:
            raise JailUnavailable(_("the jail's own process ended twice")) from error

    def start(self) -> None:
        """Start the zygote without waiting for it, so that the first child is there sooner."""
        self._started()

    def close(self) -> None:
        """End all children and the zygote; nothing stays behind."""
        for child in self._children:
            child.close()
        self._children = []
        self._retire()
        self._offered.close()
        if self._scratch is not None:
            self._scratch.close()
            self._scratch = None
        if self._slot is not None:
            self._slot.release()
            self._slot = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _started(self) -> Zygote:
        if self._zygote is None:
            self._zygote = next_zygote()
        return self._zygote

    def _retire(self) -> None:
        if self._zygote is not None:
            self._zygote.close()
            self._zygote = None

    def _plan(self, remains: contextlib.ExitStack) -> Plan:
        """Make what a child needs outside, and have it removed with `remains`."""
        folder = group = ""
        if NAMESPACES not in self.layers:
            folder = self._scratch_folder()
            remains.callback(scratch.remove, folder)
        if not cgroup.reason_for_none():
            group = str(self._group())
            remains.callback(cgroup.remove, Path(group))  # first, since it ends whatever still lives
        return Plan(
            layers=self.layers,
            mount_point=self._started().mount_point,
            scratch=folder,
            files=self._files,
            cgroup=group,
            uid=self._uid(),
            **asdict(self._limits),
        )

    def _scratch_folder(self) -> str:
        if self._scratch is None:
            self._scratch = Scratch()
        return self._scratch.make(self._uid(), self._files)

    def _uid(self) -> int:
        """Return the user id of the children; only root can give them another one than its own."""
        if os.geteuid() != 0:
            return os.geteuid()
        if self._slot is None:
            self._slot = Slot.claim()
        return self._slot.uid

    def _group(self) -> Path:
        """Make a control group for a child."""
        try:
            return cgroup.delegated().make(self._limits.memory_mb, self._limits.threads)
        except OSError as error:
            raise JailUnavailable(_("no control group could be made: {reason}").format(reason=error)) from error

    def _fork(self) -> Child:
        """Have the zygote fork, and wait until the child says that it is locked down."""
        with contextlib.ExitStack() as remains:
            plan = self._plan(remains)
            channel, process = self._forked(plan, remains)
        child = Child(channel, process)
        child.await_lockdown()
        return child

    def _forked(self, plan: Plan, remains: contextlib.ExitStack) -> tuple[Channel, Process]:
        """Make the channels and have the zygote fork; once there is a process, `remains` belongs to it."""
        ours, theirs = socket.socketpair()
        pipes = [os.pipe() for _pipe in range(3)]
        out, err, status = (os.fdopen(read, "rb", buffering=0) for read, _write in pipes)
        channel = Channel(ours, out, err)
        try:
            handle = self._started().fork(plan, [theirs.fileno(), *(write for _read, write in pipes)])
        except ZygoteGone:
            channel.close()
            status.close()
            raise
        finally:
            theirs.close()
            for _read, write in pipes:
                os.close(write)
        return channel, Process(handle, status, self._limits, remains.pop_all())
