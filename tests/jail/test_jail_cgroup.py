"""Control groups are used where they were delegated, and nothing is changed where they were not."""

import errno
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from headcheck.jail import cgroup
from headcheck.jail.cgroup import Groups, NotDelegated, divide, own_group
from headcheck.jail.client import Jail, Limits
from headcheck.jail.errors import JailUnavailable

MOUNTS = (
    "24 30 0:22 / /proc rw - proc proc rw\n"
    "35 30 0:31 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
)
V1 = "33 25 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"


def fake(folder: Path, controllers: str = "cpu memory pids", enabled: str = "memory pids") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "cgroup.controllers").write_text(controllers)
    (folder / "cgroup.subtree_control").write_text(enabled)
    (folder / "cgroup.procs").write_text("")
    return folder


def test_our_own_group_is_found():
    assert own_group("0::/user.slice/a.scope\n", MOUNTS) == Path("/sys/fs/cgroup/user.slice/a.scope")
    assert own_group("9:memory:/x\n0::/\n", MOUNTS) == Path("/sys/fs/cgroup")


def test_a_worker_uses_the_group_that_its_starter_divided():
    assert own_group("0::/a.scope/headcheck-grader\n", MOUNTS) == Path("/sys/fs/cgroup/a.scope")


@pytest.mark.parametrize(
    ("own", "mounts"), [("9:memory:/x\n", MOUNTS), ("0::/x\n", V1), ("0::/../x\n", MOUNTS), ("", "")]
)
def test_without_version_2_there_is_no_group(own: str, mounts: str):
    with pytest.raises(NotDelegated):
        own_group(own, mounts)


def test_without_the_controllers_nothing_is_touched(tmp_path: Path):
    folder = fake(tmp_path / "own", controllers="hugetlb", enabled="")
    with pytest.raises(NotDelegated, match="controllers"):
        divide(folder, cgroup.CONTROLLERS)
    assert sorted(path.name for path in folder.iterdir()) == [
        "cgroup.controllers",
        "cgroup.procs",
        "cgroup.subtree_control",
    ]


def test_what_is_no_control_group_file_system_is_refused(tmp_path: Path):
    with pytest.raises(NotDelegated):
        divide(tmp_path / "nosuch", ())


def test_a_group_gets_the_limits_of_a_child(tmp_path: Path):
    folder = fake(tmp_path / "own")
    group = Groups(folder, cgroup.CONTROLLERS).make(memory_mb=512, threads=64)
    limits = {path.name: path.read_text() for path in group.iterdir()}
    assert limits == {
        "memory.max": str(576 << 20),
        "memory.oom.group": "1",
        "memory.swap.max": "0",
        "pids.max": "68",
    }
    assert Groups(folder, ()).make(memory_mb=512, threads=64) != group


@pytest.fixture
def removable(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Groups of a made-up tree are folders with files in them, which the kernel's are not."""
    removed: list[Path] = []

    def remove(group: Path) -> None:
        removed.append(group)
        shutil.rmtree(group)

    monkeypatch.setattr(cgroup, "remove", remove)
    return removed


def test_what_was_delegated_is_divided_after_our_processes_moved_aside(tmp_path: Path, removable: list[Path]):
    folder = fake(tmp_path / "own", enabled="cpu")
    assert divide(folder, cgroup.CONTROLLERS) == Groups(folder, cgroup.CONTROLLERS)
    assert (folder / "headcheck-grader" / "cgroup.procs").read_text() == "0"
    assert (folder / "cgroup.subtree_control").read_text() == "+memory +pids"
    assert len(removable) == 1


def test_what_is_divided_already_is_used_as_it_is(tmp_path: Path, removable: list[Path]):
    folder = fake(tmp_path / "own")
    assert divide(folder, cgroup.CONTROLLERS) == Groups(folder, cgroup.CONTROLLERS)
    assert not (folder / "headcheck-grader").exists()


def test_our_processes_move_back_when_the_kernel_refuses_to_divide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder, write = fake(tmp_path / "own", enabled=""), Path.write_text

    def refuse(path: Path, text: str) -> int:
        if path.name == "cgroup.subtree_control":
            raise OSError(errno.EBUSY, "others are in it")
        return write(path, text)

    monkeypatch.setattr(Path, "write_text", refuse)
    with pytest.raises(NotDelegated, match="others are in our control group"):
        divide(folder, cgroup.CONTROLLERS)
    assert (folder / "cgroup.procs").read_text() == "0"


def test_a_child_joins_a_group_with_its_limits_and_the_group_is_removed_after_it(
    tmp_path: Path, removable: list[Path], monkeypatch: pytest.MonkeyPatch
):
    folder = fake(tmp_path / "own")
    with Jail(limits=Limits(memory_mb=300, threads=20)) as jail:
        monkeypatch.setattr(cgroup, "reason_for_none", lambda: "")
        monkeypatch.setattr(cgroup, "delegated", lambda: Groups(folder, cgroup.CONTROLLERS))
        jail.spawn().close()  # so that the canaries have had their child
        removable.clear()
        with jail.spawn() as child:
            (group,) = folder.glob("headcheck-*")
            assert (group / "memory.max").read_text() == str(364 << 20)
            assert (group / "pids.max").read_text() == "24"
            assert (group / "cgroup.procs").read_text() == "0"  # the supervisor, and so all that it forks
            assert child.run_cell(0, "1 + 1", 5).result == "2"
        assert removable == [group]


def test_without_room_for_a_group_there_is_no_child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with Jail() as jail:
        monkeypatch.setattr(cgroup, "reason_for_none", lambda: "")
        monkeypatch.setattr(cgroup, "delegated", lambda: Groups(tmp_path / "nosuch", cgroup.CONTROLLERS))
        with pytest.raises(JailUnavailable, match="no control group could be made"):
            jail.spawn()


@pytest.fixture
def real_group() -> Path:
    """This machine's own group, with whatever controllers; the kernel's files, not ours."""
    try:
        return divide(
            own_group(Path("/proc/self/cgroup").read_text(), Path("/proc/self/mountinfo").read_text()), ()
        ).folder
    except NotDelegated as error:
        pytest.skip(f"no control groups to try it with: {error}")


def test_a_process_in_a_real_group_is_ended_with_it(real_group: Path):
    group = Groups(real_group, ()).make(memory_mb=512, threads=64)
    code = f"from headcheck.jail import cgroup; cgroup.join({str(group)!r}); print('in', flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stdin=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"in\n"
        assert (group / "cgroup.procs").read_text().split() == [str(process.pid)]
        cgroup.remove(group)
        assert process.wait(5) == -signal.SIGKILL
    assert not group.exists()


def test_children_of_a_jail_live_in_groups_of_their_own(real_group: Path, monkeypatch: pytest.MonkeyPatch):
    before = set(real_group.iterdir())
    with Jail() as jail:
        monkeypatch.setattr(cgroup, "reason_for_none", lambda: "")
        monkeypatch.setattr(cgroup, "delegated", lambda: Groups(real_group, ()))
        with jail.spawn() as child:
            (group,) = set(real_group.iterdir()) - before
            assert len((group / "cgroup.procs").read_text().split()) >= 2
            assert os.getpid() not in map(int, (group / "cgroup.procs").read_text().split())
            assert child.run_cell(0, "1 + 1", 5).result == "2"
        assert set(real_group.iterdir()) == before
