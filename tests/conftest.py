"""Shared fixtures: small courses made on the spot, and one real jail."""

import itertools
import os
import sys
from pathlib import Path

import pytest
from headcheck.course.config import RunLimits
from headcheck.jail.client import Jail, Limits
from small_course import BANK, LIMITS, lay_out, own_modules

_folders = itertools.count()

os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # nbgrader calls alembic by name
os.environ["HEADCHECK_LANG"] = "en"  # whatever the language of the person who runs the tests


@pytest.fixture(scope="session", autouse=True)
def no_real_data_folder(tmp_path_factory):
    """Let no test write into the data folder of the person who runs it."""
    os.environ["HEADCHECK_DATA"] = str(tmp_path_factory.mktemp("data"))


@pytest.fixture
def make_course(tmp_path):
    """Write a small course into a folder of its own: `make_course(text=..., hidden=...)`."""
    with own_modules():
        yield lambda **parts: lay_out(tmp_path / f"course_{next(_folders)}", **parts)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """The tiny course, built; do not write into it."""
    with own_modules():
        course = lay_out(tmp_path_factory.mktemp("tiny") / "course", bank=BANK, limits=LIMITS)
        course.build()
    return course


@pytest.fixture(scope="session")
def jail():
    """A real jail, shared; its zygote takes two seconds."""
    with Jail(limits=Limits(memory_mb=512, cpu_s=60)) as made:
        yield made


@pytest.fixture
def quick():
    """Short limits, for submissions that hang."""
    return RunLimits(cell_seconds=2, call_seconds=1, submission_seconds=20, memory_mb=512)
