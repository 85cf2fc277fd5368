"""Start the zygote as a clean program and ask it for children."""

import atexit
import contextlib
import functools
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from headcheck.i18n import _
from headcheck.jail import cgroup
from headcheck.jail.errors import JailUnavailable
from headcheck.jail.layers import Plan
from headcheck.jail.linux import unsupported

START_S = 120.0
_FORK_S = 20.0
_PACKAGE_PARENT = str(Path(__file__).resolve().parents[2])
_BOOT = """
import sys
sys.path.insert(0, sys.argv.pop())
from headcheck.jail.zygote import main
main()
"""
_ENVIRONMENT = {
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",  # huge pages: a fork copies the page table, 50,000 entries without
    "LC_ALL": "C.UTF-8",
    "MPLBACKEND": "agg",
    "MKL_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PATH": "/usr/bin:/bin",
    "TORCHDYNAMO_DISABLE": "1",
}


LIKELY = ("training", "drawing")
"""What children may do that takes long to import: optimizers take a second, pyplot a third of one. It happens once in
the zygote, or in every child that needs it. "many" says that there will be many of them, which is worth 0.1 s more."""


def _environment() -> dict[str, str]:
    """Return what a child may find in /proc/self/environ: nothing of ours but the language."""
    language = os.environ.get("HEADCHECK_LANG")
    return _ENVIRONMENT | ({"HEADCHECK_LANG": language} if language else {})


class ZygoteGone(Exception):
    """The zygote ended; a new one may be started."""


class Zygote:
    """The zygote as its starter sees it; making one does not wait for it.

    Args:
        likely: what children are likely to do, of `LIKELY`; what that needs is imported once, here.

    Attributes:
        mount_point: an empty folder on which children assemble their private roots.
        forks: how many children it has made.
    """

    def __init__(self, likely: Sequence[str] = LIKELY) -> None:
        cgroup.reason_for_none()  # settles it now: with a zygote running our own group could not be divided any more
        self.mount_point = tempfile.mkdtemp(prefix="headcheck-jail-")
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  lives as long as the process
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    "-I",
                    "-W",
                    "ignore",
                    "-c",
                    _BOOT,
                    str(theirs.fileno()),
                    self.mount_point,
                    " ".join(likely),
                    _PACKAGE_PARENT,
                ],
                pass_fds=[theirs.fileno()],
                env=_environment(),
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=self._log,
                start_new_session=True,  # Ctrl-C is for us, not for it
            )
        self.forks = 0

    def twin(self) -> "Twin":
        """Have the zygote fork a zygote, for another process maybe; waits until it is ready to.

        Raises:
            JailUnavailable: the zygote did not start.
        """
        assert self.offer is not None
        mount_point = tempfile.mkdtemp(prefix="headcheck-jail-")
        control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            socket.send_fds(self._control, [json.dumps({"twin": mount_point}).encode()], [theirs.fileno()])
        return Twin(control, mount_point)

    @functools.cached_property
    def offer(self) -> dict[str, str]:
        """For every layer of the jail "" when this machine offers it, else the reason why not; waits for the zygote.

        Raises:
            JailUnavailable: the zygote did not start.
        """
        self._control.settimeout(START_S)
        try:
            answer = self._control.recv(1 << 16)
        except OSError:
            answer = b""
        if not answer:
            reason = self._last_words()
            self.close()
            raise JailUnavailable(_("the jail's own process did not start: {reason}").format(reason=reason))
        self._control.settimeout(_FORK_S)
        return dict(json.loads(answer)["offer"])

    def _last_words(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        self._log.seek(0)
        lines = self._log.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else _("it gave no reason")

    def fork(self, plan: Plan, channels: list[int]) -> int:
        """Have a child made.

        Args:
            plan: what it gets.
            channels: its socket, standard output, standard error, and its supervisor's status pipe.

        Returns:
            A pidfd of its supervisor.

        Raises:
            ZygoteGone: no zygote answered.
        """
        try:
            socket.send_fds(self._control, [json.dumps(asdict(plan)).encode()], channels)
            answer, handles, _flags, _address = socket.recv_fds(self._control, 64, 1)
        except OSError as error:
            raise ZygoteGone from error
        if answer != b"forked" or len(handles) != 1:
            raise ZygoteGone
        self.forks += 1
        return handles[0]

    def close(self) -> None:
        """End the zygote and wait for it; children that still live die with it."""
        if "offer" not in self.__dict__:  # still importing, it would not listen
            self._process.kill()
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)  # reaches it even when a fork of ours holds a copy
        self._control.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()
        with contextlib.suppress(FileNotFoundError):  # the zygote does it too, in case that we are killed
            os.rmdir(self.mount_point)

    @property
    def pid(self) -> int:
        """Process id of the zygote."""
        return self._process.pid


@dataclass(frozen=True)
class Twin:
    """A forked zygote on its way to the process that will use it; it ends when nobody holds its socket any more."""

    control: socket.socket
    mount_point: str

    def adopt(self) -> None:
        """Use it for the jail that is opened next."""
        _ahead.append(_Adopted(self))


class _Adopted(Zygote):
    """A twin as its user sees it; it is no child of this process."""

    def __init__(self, twin: Twin) -> None:
        self._control, self.mount_point, self.forks = twin.control, twin.mount_point, 0

    def _last_words(self) -> str:
        return _("the process that it was to be forked from has ended")

    def close(self) -> None:
        """Hang up; it ends by itself."""
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)
        self._control.close()
        with contextlib.suppress(OSError):
            os.rmdir(self.mount_point)


_ahead: list[Zygote] = []


def launch_ahead(likely: Sequence[str] = LIKELY) -> None:
    """Start a zygote now, for the jail that is opened next: it gets ready while its starter still imports things."""
    if not _ahead and not unsupported():
        _ahead.append(Zygote(likely))
        atexit.register(_close_ahead)


def next_zygote(likely: Sequence[str] = LIKELY) -> Zygote:
    """Return the zygote that was started ahead, or a new one."""
    return _ahead.pop() if _ahead else Zygote(likely)


def _close_ahead() -> None:
    while _ahead:
        _ahead.pop().close()
