"""Tests in a real browser: run by `make browser`, which also installs what they need."""

import os
import shutil

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")


SWITCHED_ON = bool(os.environ.get("HEADCHECK_BROWSER"))

collect_ignore_glob = [] if SWITCHED_ON else ["test_*.py"]  # `make test` needs no browser


def pytest_report_header():
    """Say why there are no tests, when somebody runs this folder alone."""
    return None if SWITCHED_ON else "tests in a browser are left out; run `make browser`"


@pytest.fixture(scope="session")
def browser():
    """A headless browser of this machine; nothing is downloaded."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.exit(f"no browser found ({', '.join(NAMES)}); on Debian: apt-get install chromium", returncode=2)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        yield running
        running.close()


@pytest.fixture
def page(browser):
    """A page of a usual size."""
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        yield context.new_page()
