"""One grader to be attacked: takes names of attacks on standard input and says what each one won, a JSON line each.

Everything that an attacker could want lies here, and every user of the machine may read and write it: the jail alone
stands in between.
"""

import argparse
import contextlib
import hashlib
import json
import os
import resource
import shutil
import signal
import socket
import sys
import tempfile
import time
from pathlib import Path

import torch
from headcheck.jail.client import Child, Jail, Limits
from headcheck.jail.errors import StudentFailure
from headcheck.jail.layers import LAYERS

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))
from cases import Case, all_cases
from stage import first_in_the_zygote

MEMORY_MB = 512
TIGHT = Limits(memory_mb=MEMORY_MB, cpu_s=20)
LOOSE = Limits(memory_mb=4096, cpu_s=60, file_mb=512, tmp_mb=512, threads=4096)
SECRET = "EXPECTED_" + hashlib.sha256(os.urandom(16)).hexdigest()
SHARED = ("/var/tmp", "/dev/shm")

PRELUDE = """
import os, sys, torch
FOLDER, PORT, ABSTRACT, GRADER, ZYGOTE = {folder!r}, {port}, {abstract!r}, {grader}, {zygote}
TESTS, GRADEBOOK = FOLDER + "/hidden_tests.py", FOLDER + "/gradebook.db"
OTHER, VICTIM = FOLDER + "/bob.ipynb", FOLDER + "/victim"
NEIGHBOUR = {neighbour!r}
def loot(*what):
    os.write(1, ("LOOT " + " ".join(map(str, what)) + "\\n").encode())
def attempt(f, *args):
    try:
        return f(*args)
    except BaseException as error:
        os.write(1, (f"denied {{type(error).__name__}} {{str(error)[:80]}}\\n").encode())
def reference(q, k, v):
    return torch.softmax(q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5, -1) @ v
def attention(q, k, v):
    return {answer}
def naive_judge():
    x = torch.randn(2, 3, 5, 8)
    return bool(torch.allclose(attention(x, x, x), reference(x, x, x)))
"""
ANSWERS = {"right": "reference(q, k, v)", "wrong": "torch.zeros_like(v)"}


class Arena:
    """The targets and the jail."""

    def __init__(self, folder: str, jail: Jail, *, naive: bool, limits: Limits) -> None:
        self.folder, self.jail, self.naive, self.limits = folder, jail, naive, limits
        for name in ("hidden_tests.py", "gradebook.db", "bob.ipynb", "victim"):
            path = Path(folder) / name
            path.write_text(f"{name} {SECRET}")
            path.chmod(0o666)
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.unix, self.abstract = (socket.socket(socket.AF_UNIX) for _ in range(2))
        self.unix.bind(f"{folder}/socket")
        os.chmod(f"{folder}/socket", 0o777)
        self.abstract.bind(f"\0arena-{os.getpid()}")
        for listener in (self.tcp, self.unix, self.abstract):
            listener.listen()
            listener.setblocking(False)
        self.datagrams = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.datagrams.bind(f"{folder}/datagrams")
        os.chmod(f"{folder}/datagrams", 0o777)
        self.datagrams.setblocking(False)
        self.move_in()

    def move_in(self) -> None:
        """Let another student's process live beside the attacks, with something in its working folder."""
        self.neighbour = self.jail.spawn()
        code = f"import os\nopen('mine.txt', 'w').write({SECRET!r})\nhome = os.getcwd()"
        assert self.neighbour.run_cell(0, code, 10).ok
        self.home = str(self.neighbour.get("home", 10))
        self.expected = set(self.strangers())

    def attack(self, case: Case) -> dict[str, object]:
        """Let one attack loose and list what it won."""
        before, start = self.state(), time.monotonic()
        with self.jail.spawn() as child:
            told, marked = self.run(child, case)
            usage = child.close()
        won = [line for line in told.splitlines() if line.startswith("LOOT")][:3]
        if SECRET in told:
            won.append("the secret was printed")
        if case.answer == "wrong" and marked:
            won.append("a wrong answer was marked right")
        won += [f"changed: {name}" for name, now in self.state().items() if now != before[name]]
        if usage.max_rss_mb > MEMORY_MB + 450:
            won.append(f"used {usage.max_rss_mb:.0f} MB")
        if len(told) > 600_000:
            won.append("flooded the grader with output")
        won += self.neighbours()
        self.mend(before)
        seconds = round(time.monotonic() - start, 2)
        return {"won": won, "marked": marked, "told": told[-600:], "seconds": seconds, "end": usage.reason}

    def run(self, child: Child, case: Case) -> tuple[str, bool]:
        """Run the cells, then judge as a hidden test does."""
        zygote = self.jail._started().pid
        port = self.tcp.getsockname()[1]
        prelude = PRELUDE.format(
            folder=self.folder, port=port, abstract=f"\0arena-{os.getpid()}", grader=os.getpid(), zygote=zygote,
            answer=ANSWERS[case.answer], neighbour=self.home,
        )  # fmt: skip
        assert child.run_cell(0, prelude, 10).ok
        told = []
        for index, source in enumerate((case.code, "1 + 1"), start=1):
            result = child.run_cell(index, source, 8)
            told.append(result.stdout + result.stderr)
        marked = self.judged_naively(child) if self.naive else self.judged(child, told)
        return "".join(told), marked

    def judged(self, child: Child, told: list[str]) -> bool:
        for _round in range(2):
            q, k, v = (torch.randn(2, 3, 5, 8) for _ in range(3))
            try:
                got = child.call("attention", (q, k, v), {}, 3)
            except StudentFailure:
                return False
            finally:
                if child.open:
                    told.append(child._channel.stdout.text())
            expected = torch.nn.functional.scaled_dot_product_attention(q, k, v)
            if type(got) is not torch.Tensor or got.shape != expected.shape or got.dtype != expected.dtype:
                return False
            if not torch.allclose(got, expected, atol=1e-5):
                return False
        return True

    def judged_naively(self, child: Child) -> bool:
        """Compare inside the student's process, as graders without a jail do."""
        try:
            return child.call("naive_judge", (), {}, 2) is True
        except StudentFailure:
            return False

    def state(self) -> dict[str, object]:
        """Everything that an attack must not change."""
        files = {}
        for entry in sorted(os.scandir(self.folder), key=lambda entry: entry.name):
            facts = entry.stat(follow_symlinks=False)
            content = Path(entry.path).read_bytes() if entry.is_file() else b""
            files[entry.name] = (
                content,
                facts.st_mode,
                facts.st_uid,
                facts.st_mtime_ns,
                tuple(os.listxattr(entry.path)),
            )
        return {
            "the grader's files": files,
            # Other programs come and go in these folders, so only what an attack on this grader leaves counts.
            "shared folders": [Path(folder, f"left-{os.getpid()}").exists() for folder in SHARED],
            "System V memory": shared_memory_of_ours(),
            "the grader's limits": (os.getpriority(os.PRIO_PROCESS, 0), resource.getrlimit(resource.RLIMIT_CORE)),
            "the grader's processors": os.sched_getaffinity(0),
            "the zygote's processors": os.sched_getaffinity(self.jail._started().pid),
            "processes": self.left_over(),
            "folders of students": self.folders(),
        }

    def folders(self) -> list[str]:
        """What lies where children work when they have no private root."""
        scratch = self.jail._scratch
        return sorted(str(path) for path in Path(scratch.folder).rglob("*")) if scratch else []

    def left_over(self) -> int:
        """Count processes that are still there after a moment."""
        until = time.monotonic() + 0.5
        while (extra := set(self.strangers()) - self.expected) and time.monotonic() < until:
            time.sleep(0.02)
        return len(extra)

    def strangers(self) -> list[int]:
        """Processes that were forked by our zygote or its children, whoever their parent is now."""
        found = []
        for name in os.listdir("/proc"):
            with contextlib.suppress(OSError, ValueError):
                fields = Path(f"/proc/{int(name)}/stat").read_text().rsplit(")", 1)[1].split()
                if int(fields[3]) != os.getsid(0) and self.is_ours(int(name)):
                    found.append(int(name))
        return found

    def is_ours(self, pid: int) -> bool:
        """Whether a process was forked from our zygote (it shares the zygote's command line)."""
        zygote = self.jail._started()
        return pid != zygote.pid and zygote.mount_point.encode() in Path(f"/proc/{pid}/cmdline").read_bytes()

    def neighbours(self) -> list[str]:
        """What happened to others: somebody reached us from inside, the next student's work is judged wrong."""
        won = []
        for name, listener in (("TCP", self.tcp), ("a socket file", self.unix), ("an abstract socket", self.abstract)):
            with contextlib.suppress(BlockingIOError):
                while True:
                    listener.accept()[0].close()
                    won.append(f"connected over {name}")
        with contextlib.suppress(BlockingIOError):
            while self.datagrams.recv(100):
                won.append("sent a datagram to a socket file")
        try:
            self.neighbour.get("home", 5)
        except StudentFailure:
            won.append("ended another student's process")
        honest = Case("honest", "", "", (), "right", False, "x = 1")
        with self.jail.spawn() as child:
            if not self.run(child, honest)[1]:
                won.append("the next student's right answer was marked wrong")
        return won

    def mend(self, before: dict[str, object]) -> None:
        """Undo what a sabotaged run did, so that the next attack finds everything as it was."""
        for pid in set(self.strangers()) - self.expected:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        for folder in SHARED:
            with contextlib.suppress(OSError):
                os.unlink(f"{folder}/left-{os.getpid()}")
        for name in ("hidden_tests.py", "gradebook.db", "bob.ipynb", "victim"):
            path = Path(self.folder) / name
            if not path.exists():
                path.write_text("")
            with contextlib.suppress(PermissionError):
                path.chmod(0o666)
                path.write_text(f"{name} {SECRET}")
        if not self.neighbour.alive or self.folders() != before["folders of students"]:
            self.neighbour.close()
            self.move_in()


def shared_memory_of_ours() -> list[str]:
    """The System V memory under the key that attacks on this very grader use."""
    lines = Path("/proc/sysvipc/shm").read_text().splitlines()[1:]
    return [line for line in lines if int(line.split()[0]) == 0x40000000 + os.getpid()]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--layers", default=",".join(LAYERS))
    parser.add_argument("--loose", action="store_true", help="with limits that stop nothing")
    parser.add_argument("--naive", action="store_true", help="judge inside the student's process")
    parser.add_argument("--landlock", type=int, default=0, help="use no newer version of Landlock")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(1))  # so that everything is cleared away
    os.environ["GRADER_SECRET"] = SECRET
    torch.set_num_threads(1)
    if options.landlock:
        old = f"from headcheck.jail import landlock\nlandlock.abi = lambda: {options.landlock}"
        first_in_the_zygote(old)
    limits = LOOSE if options.loose else TIGHT
    layers = tuple(name for name in options.layers.split(",") if name)
    folder = tempfile.mkdtemp(prefix="headcheck-arena-", dir="/var/tmp")
    os.chmod(folder, 0o777)
    known = {case.name: case for case in all_cases()}
    try:
        with Jail(layers=layers, limits=limits, minimum="none") as jail:
            jail.spawn().close()
            told = {"isolation": jail.isolation, "layers": jail.layers, "uid": os.geteuid(), "missing": jail.missing}
            print(json.dumps(told), flush=True)
            arena = Arena(folder, jail, naive=options.naive, limits=limits)
            for line in sys.stdin:
                print(json.dumps(arena.attack(known[line.strip()])), flush=True)
    except BaseException as error:
        print(json.dumps({"failed": f"{type(error).__name__}: {error}"}), flush=True)
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
