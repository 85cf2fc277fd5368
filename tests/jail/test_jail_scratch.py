"""Without a private root each child works in a folder of its own on the host: bounded, private, and gone afterwards."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from headcheck.jail import scratch
from headcheck.jail.client import Jail, Limits
from headcheck.jail.errors import JailUnavailable
from headcheck.jail.layers import LANDLOCK, SECCOMP
from headcheck.jail.scratch import Scratch
from headcheck.jail.watch import Watch
from headcheck.temporary import sweep
from stage import let_children_read_python

ROOT = os.geteuid() == 0


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for temporary files of this test alone, which every user can reach."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        os.chmod(folder, 0o755)
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


@pytest.fixture(scope="module")
def small() -> Iterator[Jail]:
    """A jail of level B."""
    with pytest.MonkeyPatch.context() as patch:
        let_children_read_python(patch)
        with Jail(layers=(LANDLOCK, SECCOMP), limits=Limits(tmp_mb=8, file_mb=4)) as jail:
            try:
                jail.spawn().close()
            except JailUnavailable as error:
                pytest.skip(f"no jail of level B here: {error}")
            yield jail


def test_a_child_works_in_a_folder_of_its_own_that_ends_with_it(small: Jail):
    with small.spawn() as first, small.spawn() as second:
        code = "import os, tempfile\nopen('mine', 'w').close()\nhome = os.getcwd()"
        homes = []
        for child in (first, second):
            assert child.run_cell(0, code, 5).ok
            same = "os.environ['HOME'] == os.environ['TMPDIR'] == tempfile.gettempdir() == home"
            assert child.run_cell(1, same, 5).result == "True"
            homes.append(child.get("home", 5))
        assert len(set(homes)) == 2
        assert not second.run_cell(1, f"open({homes[0]!r} + '/mine')", 5).ok
        assert not second.run_cell(1, f"os.listdir({os.path.dirname(homes[0])!r})", 5).ok
        assert all(os.stat(home).st_mode & 0o777 == 0o700 for home in homes)
    assert not any(map(os.path.exists, homes))


def test_a_childs_end_names_the_limit_on_the_disk(small: Jail):
    writing = "import time\nfor i in range(9): open(f'f{i}', 'wb').write(b'x' * (3 << 20)); time.sleep(0.1)"
    with small.spawn() as child:
        assert child.run_cell(0, writing, 10).died == "disk limit"
        assert child.close().reason == "disk limit"


def test_what_was_deleted_properly_does_not_count(small: Jail):
    writing = (
        "import os, time\nfor i in range(9): open('f', 'wb').write(b'x' * (3 << 20)); time.sleep(0.1); os.unlink('f')"
    )
    with small.spawn() as child:
        result = child.run_cell(0, writing, 10)
        assert result.ok, result


@pytest.mark.parametrize(
    "keep", ["kept.append(f)", "kept.append(mmap.mmap(f.fileno(), 4096))"], ids=["an open file", "a mapped file"]
)
def test_what_was_deleted_but_is_still_held_counts(small: Jail, keep: str):
    code = f"""
import mmap, os, time
kept = []
for i in range(9):
    f = open('f', 'wb+')
    f.write(b'x' * (3 << 20)); f.flush(); os.unlink('f')
    {keep}
    time.sleep(0.1)
"""
    with small.spawn() as child:
        assert child.run_cell(0, code, 10).died == "disk limit"


def test_nothing_but_plain_files_and_folders_can_be_made(small: Jail):
    attempts = {
        "a setuid file": "os.open('a', os.O_CREAT | os.O_WRONLY, 0o4755)",
        "a link": "os.symlink('/etc', 'b')",
        "a hard link": "open('c', 'w').close(); os.link('c', 'd')",
        "a pipe": "os.mkfifo('e')",
        "a file without a name": "os.open('.', os.O_TMPFILE | os.O_RDWR)",
        "more permissions": "os.chmod('c', 0o777)",
    }
    with small.spawn() as child:
        assert child.run_cell(0, "import os", 5).ok
        assert [name for name, code in attempts.items() if child.run_cell(1, code, 5).ok] == []


def test_folders_are_removed_whatever_is_in_them(place: Path):
    (place / "gradebook").mkdir()
    (place / "gradebook" / "grades").write_text("A")
    maker = Scratch()
    made = Path(maker.make(os.getuid(), ""))
    (made / "link").symlink_to(place / "gradebook")
    (made / "odd\n\udcff").write_text("")
    (made / "closed" / "inner" / "file").parent.mkdir(parents=True)
    (made / "closed" / "inner" / "file").touch()
    (made / "closed" / "inner").chmod(0)
    (made / "closed").chmod(0)
    here = os.open(".", os.O_RDONLY)
    try:
        os.chdir(made)
        for _ in range(3000):
            os.mkdir("d")
            os.chdir("d")
    finally:
        os.fchdir(here)
        os.close(here)
    scratch.remove(str(made))
    assert not made.exists()
    assert (place / "gradebook" / "grades").read_text() == "A"
    maker.close()
    assert [path.name for path in place.iterdir()] == ["gradebook"]


KILLED = """
import os, sys, tempfile, time
from headcheck.jail.scratch import Scratch
tempfile.tempdir = sys.argv[1]
made = Scratch().make(os.getuid(), "")
open(made + "/file", "w").close()
print("made", flush=True)
time.sleep(60)
"""


def test_what_a_killed_grader_left_is_removed_by_the_next_one(place: Path):
    command = [sys.executable, "-c", KILLED, str(place)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as killed:
        assert killed.stdout is not None
        assert killed.stdout.readline() == b"made\n"
        (left,) = place.iterdir()
        sweep("scratch", scratch.remove)
        assert left.exists(), "its owner still lives"
        killed.kill()
    sweep("scratch", scratch.remove)
    assert list(place.iterdir()) == []


def test_a_planted_folder_or_link_is_left_alone(place: Path):
    (place / "elsewhere").mkdir()
    (place / "elsewhere" / "file").touch()
    (place / "headcheck-scratch-link").symlink_to(place / "elsewhere")
    (place / "headcheck-scratch-file").touch()
    if ROOT:
        (place / "headcheck-scratch-foreign").mkdir()
        os.chown(place / "headcheck-scratch-foreign", 65534, 65534)
    before = sorted(place.rglob("*"))
    sweep("scratch", scratch.remove)
    assert sorted(place.rglob("*")) == before


@pytest.mark.skipif(not ROOT, reason="an ordinary user's children are that user")
def test_a_place_that_children_cannot_reach_is_told(place: Path, monkeypatch: pytest.MonkeyPatch):
    let_children_read_python(monkeypatch)
    place.chmod(0o700)
    with Jail(layers=(LANDLOCK, SECCOMP)) as jail, pytest.raises(JailUnavailable, match="TMPDIR"):
        jail.spawn()


def test_what_cannot_be_looked_into_counts_as_too_much(tmp_path: Path):
    watch = Watch(str(tmp_path), most_mb=1, file_mb=1)
    assert not watch.exceeded(os.getpid())
    time.sleep(0.02)  # the clock of a file system ticks some hundred times per second
    (tmp_path / "folder").mkdir()
    assert not watch.exceeded(os.getpid())
    (tmp_path / "file").write_bytes(b"x" * (1 << 20))
    assert watch.exceeded(os.getpid())
    (tmp_path / "file").unlink()
    here = os.open(".", os.O_RDONLY)
    try:
        os.chdir(tmp_path)
        for _ in range(100):
            os.mkdir("d" * 100)
            os.chdir("d" * 100)
    finally:
        os.fchdir(here)
        os.close(here)
    assert watch.exceeded(os.getpid())
    scratch.remove(str(tmp_path))
