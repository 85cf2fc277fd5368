"""`headcheck doctor`: what this machine can do to confine student code, layer by layer, tried out in a real child."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from headcheck.course.config import Course, find_course
from headcheck.errors import UsageError
from headcheck.i18n import N_, _
from headcheck.jail import cgroup, landlock
from headcheck.jail.canary import CANARIES, Canary
from headcheck.jail.client import Jail
from headcheck.jail.errors import JailUnavailable
from headcheck.jail.layers import LANDLOCK, LAYERS, NAMESPACES, SECCOMP, enough

WHAT = {
    NAMESPACES: N_("own process ids, network and file system"),
    LANDLOCK: N_("the kernel's list of files that may be opened"),
    SECCOMP: N_("the kernel's list of calls that may not be made"),
}


def examine(folder: Path | None, console: Console) -> int:
    """Print what confines student code on this machine.

    Args:
        folder: course folder, None for the course at hand; without a course the default minimum counts.
        console: where to print.

    Returns:
        Exit status: 0 when grading would run, 1 when it would refuse.
    """
    minimum = _minimum(folder)
    console.print(_machine())
    try:
        with Jail(minimum="none") as jail:
            console.print(_layers(jail))
            console.print(_canaries(jail))
            return _judge(jail, minimum, console)
    except JailUnavailable as error:
        console.print(escape(str(error)), style="red")
        console.print(_advice(), soft_wrap=True)
        return 1


def _minimum(folder: Path | None) -> str:
    try:
        return find_course(folder).minimum_isolation
    except UsageError:
        return Course.minimum_isolation


def _machine() -> str:
    return _("{system} {release} on {machine}, user id {uid}").format(
        system=platform.system(), release=platform.release(), machine=platform.machine(), uid=os.geteuid()
    )


def _layers(jail: Jail) -> Table:
    table = Table(title=_("Layers"), title_justify="left")
    for heading in (_("layer"), _("what it is"), _("here")):
        table.add_column(heading)
    reasons = dict(text.split(": ", 1) for text in jail.missing if text.split(": ", 1)[0] in LAYERS)
    for name in LAYERS:
        state = escape(reasons[name]) if name in reasons else _("on")
        if name == LANDLOCK and name not in reasons:
            state = _("on, version {number}").format(number=landlock.abi())
        table.add_row(name, _(WHAT[name]), state)
    reason = cgroup.reason_for_none()
    table.add_row("cgroup", _("memory and processes of a child, counted together"), _(reason) if reason else _("on"))
    table.add_row("rlimits", _("memory, processor time, file sizes, threads"), _("on"))
    return table


def _canaries(jail: Jail) -> Table:
    table = Table(title=_("Canaries: what a child tried"), title_justify="left")
    for heading in (_("attempt"), _("stopped by"), _("result")):
        table.add_column(heading)
    for canary in CANARIES:
        table.add_row(_(canary.about), _stopped_by(canary, jail), _result(canary, jail))
    return table


def _stopped_by(canary: Canary, jail: Jail) -> str:
    return ", ".join(name for name in canary.layers if name in jail.layers) or "-"


def _result(canary: Canary, jail: Jail) -> str:
    return f"[red]{_('GOT OUT')}[/]" if canary.name in jail.escaped else _("held")


def _judge(jail: Jail, minimum: str, console: Console) -> int:
    good = enough(jail.isolation, minimum)
    text = _("isolation {got}; this course demands at least {minimum}").format(got=jail.isolation, minimum=minimum)
    console.print(text, style="green" if good else "red")
    if jail.isolation == "B":
        console.print(_("At level B student code can still see the names and sizes of files."))
    if not good:
        console.print(_advice(), soft_wrap=True)
    return 0 if good else 1


def _advice() -> str:
    return _(
        "What to do: run headcheck on Linux 5.13 or newer, as root or as a user who may make namespaces; or in a "
        "container or virtual machine that allows it (docs/security.md has the commands). If the submissions are as "
        "trustworthy as your own code, grade with --trust-submissions."
    )
