"""Temporary folders go with their owner, and those of the killed with the next one."""

import subprocess
import sys
import tempfile

import pytest
from headcheck.temporary import OwnFolder

KILLED = """
import sys, tempfile, time
from headcheck.temporary import OwnFolder
tempfile.tempdir = sys.argv[1]
for kind in ("staging", "other"):
    globals()[kind] = OwnFolder(kind)
    (globals()[kind].path / "s1.ipynb").write_text("{}")
print("made", flush=True)
time.sleep(60)
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_a_folder_is_private_and_goes_when_it_is_closed(place):
    made = OwnFolder("staging")
    (made.path / "file").touch()
    assert made.path.parent == place
    assert made.path.stat().st_mode & 0o077 == 0
    made.close()
    assert list(place.iterdir()) == []


def test_a_folder_that_somebody_removed_already_is_no_error(place):
    made = OwnFolder("staging")
    made.path.rmdir()
    made.close()
    assert list(place.iterdir()) == []


def test_the_next_folder_of_a_kind_removes_those_of_the_killed_and_no_others(place):
    with subprocess.Popen([sys.executable, "-c", KILLED, str(place)], stdout=subprocess.PIPE) as killed:
        assert killed.stdout.readline() == b"made\n"
        OwnFolder("staging").close()
        assert len(list(place.iterdir())) == 2, "their owner still lives"
        killed.kill()
    OwnFolder("staging").close()
    (left,) = place.iterdir()
    assert left.name.startswith("headcheck-other-")
