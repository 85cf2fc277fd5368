"""Makes the content root importable and knows the mark of hidden graders."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))


def pytest_configure(config):
    config.addinivalue_line("markers", "task(name, points): the task that a hidden test belongs to")


@pytest.fixture
def own_data(tmp_path, monkeypatch):
    """Give a test a data folder of its own, an empty working folder, and English."""
    monkeypatch.setenv("HEADCHECK_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("HEADCHECK_LANG", "en")
    monkeypatch.chdir(tmp_path)
