"""Children and zygotes end when they should, use no more than they may, and leave nothing behind."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from headcheck.jail import client, launcher, slots
from headcheck.jail.client import Jail, Limits
from headcheck.jail.errors import ChildDied, JailUnavailable, StudentError
from headcheck.jail.slots import Slot


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Jail]:
    """A jail with little memory and processor time."""
    with Jail(limits=Limits(memory_mb=200, cpu_s=2)) as made:
        made.spawn().close()
        yield made


def descendants(pid: int) -> set[int]:
    """Return all processes below one, zombies included."""
    found: set[int] = set()
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in map(int, (task / "children").read_text().split()):
            found |= {child} | (descendants(child) if Path(f"/proc/{child}").exists() else set())
    return found


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_memory_beyond_the_limit_is_an_error_of_the_student(small: Jail):
    with small.spawn() as child:
        child.run_cell(0, "def f():\n    return [bytearray(1 << 24) for _ in range(100)]\ndef ok(): return 1", 5)
        with pytest.raises(StudentError, match="MemoryError"):
            child.call("f", (), {}, 10)
        assert child.call("ok", (), {}, 5) == 1
        usage = child.close()
        assert usage.max_rss_mb < 700


def test_a_crash_on_exhausted_memory_names_the_limit(small: Jail):
    with small.spawn() as child:
        filling = "kept = []\ntry:\n    while True: kept.append(b'x' * (1 << 20))\nexcept MemoryError:\n    os.abort()"
        result = child.run_cell(0, f"import os\n{filling}", 10)
        assert result.died == "memory limit"
        assert child.close().reason == "memory limit"


def test_processor_time_beyond_the_limit_ends_the_child(small: Jail):
    with small.spawn() as child:
        code = (
            "def f():\n    while True:\n        try:\n            while True: pass\n        except BaseException: pass"
        )
        child.run_cell(0, code, 5)
        with pytest.raises(ChildDied, match="processor time limit"):
            child.call("f", (), {}, 30)
        assert 1 < child.close().cpu_s < 4


def test_close_tells_what_was_used_and_can_be_repeated(small: Jail):
    child = small.spawn()
    child.run_cell(0, "sum(range(3_000_000))", 5)
    usage = child.close()
    assert usage == child.close()
    assert usage.reason == ""
    assert usage.cpu_s > 0
    assert usage.max_rss_mb > 50
    assert not child.alive


def test_nothing_is_left_of_children_however_they_end(small: Jail):
    small.spawn().close()
    files, processes = open_files(), descendants(os.getpid())
    endings = ["1", "import os; os._exit(1)", "import time; time.sleep(60)", "import ctypes; ctypes.string_at(0)"]
    for source in endings:
        with small.spawn() as child:
            child.run_cell(0, "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()", 5)
            child.run_cell(1, source, 0.5)
    assert open_files() == files
    assert descendants(os.getpid()) == processes


def test_a_closed_jail_leaves_no_process_no_folder_and_no_open_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    files, processes = open_files(), descendants(os.getpid())
    jail = Jail()
    child = jail.spawn()
    assert list(tmp_path.iterdir()) != []
    child.run_cell(0, "import os\nif os.access('.', os.W_OK): os.symlink('/etc', 'link')", 5)
    jail.close()
    assert not child.alive
    assert descendants(os.getpid()) == processes
    assert open_files() == files
    assert list(tmp_path.iterdir()) == []


def test_children_die_with_their_zygote_and_a_new_one_is_started():
    with Jail() as jail:
        before = descendants(os.getpid())
        child = jail.spawn()
        zygote = next(pid for pid in descendants(os.getpid()) - before if descendants(pid))
        os.kill(zygote, signal.SIGKILL)
        result = child.run_cell(0, "import time; time.sleep(20)", 10)
        assert not result.ok
        assert result.died is not None
        with jail.spawn() as another:
            assert another.run_cell(0, "1 + 1", 5).result == "2"


as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give children other user ids")


def uid_in(jail: Jail) -> int:
    with jail.spawn() as child:
        return int(child.run_cell(0, "import os\nos.getuid()", 5).result)


@as_root
def test_jails_at_the_same_time_give_their_children_different_user_ids():
    with Jail() as first, Jail() as second:
        uids = [uid_in(first), uid_in(second), uid_in(first)]
    assert uids[0] == uids[2]
    assert len({*uids, os.getuid()}) == 3


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> str:
    """Names that no other test run on this machine uses."""
    name = f"\0headcheck-test-{os.getpid()}-{{number}}"
    monkeypatch.setattr(slots, "NAME", name)
    return name


@as_root
def test_a_user_id_is_free_again_after_its_jail(names: str):
    with Jail() as jail:
        assert uid_in(jail) == slots.FIRST_UID
    mine = Slot.claim()
    assert mine.uid == slots.FIRST_UID
    mine.release()


def test_a_claim_ends_with_its_process_even_when_it_is_killed(names: str):
    code = (
        f"from headcheck.jail import slots; slots.NAME = {names!r}; s = slots.Slot.claim(); print(flush=True); input()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stdin=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        during = Slot.claim()
        other.kill()
    after = Slot.claim()
    assert (during.uid, after.uid) == (slots.FIRST_UID + 1, slots.FIRST_UID)
    during.release()
    after.release()


def test_when_all_user_ids_are_taken_the_jail_says_so(names: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(slots, "SLOTS", 1)
    held = Slot.claim()
    with pytest.raises(JailUnavailable, match="in use by other graders"):
        Slot.claim()
    held.release()


def zygotes() -> set[int]:
    """Return the processes that we ourselves started."""
    tasks = Path("/proc/self/task").iterdir()
    return {int(pid) for task in tasks for pid in (task / "children").read_text().split()}


def test_a_zygote_that_made_many_children_is_replaced_while_none_lives(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(client, "FORKS_PER_ZYGOTE", 3)
    before = zygotes()
    with Jail() as jail:
        child = jail.spawn()
        (first,) = zygotes() - before
        for _ in range(3):
            jail.spawn().close()
        assert zygotes() - before == {first}
        assert child.run_cell(0, "1", 5).ok
        child.close()
        with jail.spawn() as another:
            assert first not in zygotes()
            assert another.run_cell(0, "1 + 1", 5).result == "2"


def test_an_odd_reply_of_the_zygote_replaces_it(monkeypatch: pytest.MonkeyPatch):
    with Jail() as jail:
        jail.spawn().close()
        zygote = jail._started()
        monkeypatch.setattr(zygote, "_control", OddControl(zygote._control))
        with jail.spawn() as child:
            assert jail._started() is not zygote
            assert child.run_cell(0, "1 + 1", 5).result == "2"


class OddControl:
    """A channel to a zygote that answers with something else."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control

    def sendmsg(self, *args: object) -> int:
        return 0

    def recvmsg(self, *args: object) -> tuple[bytes, list[object], int, None]:
        return b"odd", [], 0, None

    def __getattr__(self, name: str) -> object:
        return getattr(self._control, name)


def test_a_zygote_started_ahead_serves_the_next_jail_and_an_unused_one_is_ended():
    before = zygotes()
    launcher.launch_ahead()
    launcher.launch_ahead()
    (ahead,) = zygotes() - before
    with Jail() as jail:
        assert jail.isolation in ("A", "B")
        assert zygotes() - before == {ahead}
    launcher.launch_ahead()
    launcher._close_ahead()
    assert zygotes() == before


def test_a_childs_own_memory_is_told(small: Jail):
    with small.spawn() as child:
        child.run_cell(0, "x = b'x' * (100 << 20)", 5)
        usage = child.close()
    assert 100 <= usage.own_mb < 180
    assert usage.own_mb < usage.max_rss_mb


AS_NOBODY = """
import json, torch
from headcheck.jail.client import Jail
with Jail() as jail, jail.spawn() as child:
    child.run_cell(0, "def f(x): return x + 1", 10)
    reads = child.run_cell(1, f"open({__file__!r}).read()", 10)
    print(json.dumps([jail.isolation, jail.missing, child.call("f", (torch.ones(2),), {}, 10).tolist(), reads.ok]))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="the whole suite runs as an ordinary user already")
def test_an_ordinary_user_has_a_jail_too():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        script = Path(folder) / "as_nobody.py"
        script.write_text(AS_NOBODY)
        nobody = {"user": 65534, "group": 65534, "extra_groups": [], "cwd": "/", "capture_output": True, "text": True}
        try:
            subprocess.run([sys.executable, "-c", "import torch, headcheck"], check=True, **nobody)
        except (OSError, subprocess.CalledProcessError):
            pytest.skip(f"user nobody cannot read the interpreter {sys.executable} or its packages")
        done = subprocess.run([sys.executable, str(script)], timeout=60, **nobody)
    assert done.returncode == 0, done.stderr
    isolation, missing, value, reads = json.loads(done.stdout)
    assert isolation in ("A", "B")
    assert (isolation == "A") == (missing == [])
    assert value == [2, 2]
    assert not reads
