"""A JupyterLab server for the tests, and one notebook in it as a person sees it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, TimeoutError

SETTINGS = {
    "@jupyterlab/notebook-extension/tracker": {
        "windowingMode": "none",  # every cell is in the page, seen or not
        "autoStartDefaultKernel": True,  # no question about the kernel
    },
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}
ABSENT = ("headcheck", "nbgrader", "solutions", "autograder")
"""Packages that a student does not have."""

CELLS = """() => [...document.querySelectorAll('.jp-Notebook .jp-Cell')].map(cell => ({
    prompt: cell.querySelector('.jp-InputPrompt')?.textContent ?? '',
    source: [...cell.querySelectorAll('.cm-line')].map(line => line.textContent).join('\\n'),
    outputs: [...cell.querySelectorAll('.jp-OutputArea-output')].map(output => ({
        kind: output.dataset.mimeType ?? '', text: output.textContent,
    })),
}))"""
NUMBERS = """() => [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')]
    .filter(prompt => prompt.textContent)
    .map(prompt => Number(prompt.textContent.slice(1, -2).trim()))"""
"""The numbers of the code cells: 0 before the first run, NaN while a cell waits or runs; a folded cell shows none."""

READY = """async path => (await (await fetch('/api/sessions')).json()).some(
    session => session.path === path && session.kernel.connections && session.kernel.execution_state === 'idle'
)"""
PASTE = """(editor, text) => {
    const board = new DataTransfer();
    board.setData('text/plain', text);
    editor.dispatchEvent(new ClipboardEvent('paste', {clipboardData: board, bubbles: true, cancelable: true}));
}"""
TOO_WIDE = """() => [...document.querySelectorAll('.jp-Notebook .cm-scroller, .jp-Notebook .jp-OutputArea-output')]
    .filter(part => part.clientWidth > 0 && part.scrollWidth > part.clientWidth + 1)
    .map(part => part.textContent.slice(0, 120))"""

BROKEN = """() => [...document.querySelectorAll('.jp-Notebook .jp-RenderedMarkdown pre code')]
    .filter(code => code.getClientRects().length > code.textContent.trimEnd().split('\\n').length)
    .map(code => code.textContent.slice(0, 120))"""


@dataclass
class Shown:
    """One cell as it stands on the page: its prompt, its text, and (kind, text) of each output."""

    prompt: str
    source: str
    outputs: list[tuple[str, str]]

    @property
    def errors(self) -> list[str]:
        """The last line of each traceback or warning."""
        found = [text for kind, text in self.outputs if kind == "application/vnd.jupyter.stderr"]
        return [text.strip().splitlines()[-1] for text in found]

    @property
    def printed(self) -> str:
        """What the cell printed."""
        return "".join(text for kind, text in self.outputs if kind == "application/vnd.jupyter.stdout")


class Notebook:
    """A notebook that is open in JupyterLab."""

    def __init__(self, page: Page, lab: str, path: str) -> None:
        self.page, self.path = page, path
        page.goto(f"{lab}/lab/tree/{path}?reset", wait_until="domcontentloaded")
        page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)
        page.wait_for_function(READY, arg=path, polling=500, timeout=60_000)

    def cells(self) -> list[Shown]:
        """All cells, from top to bottom."""
        return [
            Shown(cell["prompt"], cell["source"], [(output["kind"], output["text"]) for output in cell["outputs"]])
            for cell in self.page.evaluate(CELLS)
        ]

    def write(self, index: int, text: str) -> None:
        """Replace the text of a cell, as somebody does who pastes it."""
        editor = self.page.locator(".jp-Notebook .jp-Cell").nth(index).locator(".cm-content")
        editor.click()
        self.page.keyboard.press("Control+a")
        editor.evaluate(PASTE, text)

    def run_all(self, timeout_s: float = 120) -> None:
        """Run all cells by the menu, and wait for the last one."""
        before = max(self.page.evaluate(NUMBERS))
        self._start_all(before)
        done = f"() => ({NUMBERS})().every(number => number > {before})"
        self.page.wait_for_function(done, polling=300, timeout=timeout_s * 1000)
        self.page.wait_for_function(READY, arg=self.path, polling=500)  # a folded cell may still run

    def _start_all(self, before: int) -> None:
        """Choose "Run All Cells", again when JupyterLab did not take it: it may still be busy with its own start."""
        started = f"() => ({NUMBERS})().some(number => Number.isNaN(number) || number > {before})"
        for _attempt in range(5):
            self.choose("Run", "Run All Cells")
            try:
                self.page.wait_for_function(started, polling=100, timeout=6_000)
                return
            except TimeoutError:
                continue
        raise RuntimeError("JupyterLab does not run the cells")

    def save(self) -> None:
        """Save by the menu, and wait until the mark of unsaved changes is gone."""
        self.choose("File", "Save Notebook")
        self.page.wait_for_selector(".lm-TabBar-tab.lm-mod-current.jp-mod-dirty", state="detached", timeout=10_000)

    def choose(self, menu: str, entry: str) -> None:
        """Choose an entry of a menu."""
        self.page.locator(".lm-MenuBar-itemLabel", has_text=menu).first.click()
        self.page.locator(".lm-Menu-itemLabel", has_text=entry).first.click()

    def too_wide(self) -> list[str]:
        """The beginnings of code cells and outputs to be scrolled sideways, and of diagrams whose lines are broken."""
        return [*self.page.evaluate(TOO_WIDE), *self.page.evaluate(BROKEN)]


@contextmanager
def running_lab(folder: Path, around: Path, *options: str, path_first: Path | None = None) -> Iterator[str]:
    """Start JupyterLab in a folder and stop it, with all its kernels, at the end.

    Args:
        folder: what the server shows.
        around: a folder for settings, home and log.
        options: further options of the command.
        path_first: a folder of modules that kernels find before all others.

    Yields:
        The address of the server.
    """
    for name, content in SETTINGS.items():
        file = around / "settings" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(content))
    port = free_port()
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}"]
    command += [
        "--ServerApp.port_retries=0",
        "--IdentityProvider.token=",
        "--ServerApp.disable_check_xsrf=True",
        *options,
    ]
    with (around / "lab.log").open("w") as log:
        server = subprocess.Popen(
            command, cwd=folder, env=_environment(around, path_first), stdout=log, stderr=log, start_new_session=True
        )
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_for(f"{address}/api", server, around / "lab.log")
            yield address
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            server.wait(timeout=30)


def hide_packages(folder: Path) -> Path:
    """Make a folder of modules that fail to import, so that a kernel is as bare as a student's."""
    for name in ABSENT:
        module = folder / name / "__init__.py"
        module.parent.mkdir(parents=True)
        module.write_text(f"raise ModuleNotFoundError('a student has no {name}')\n")
    return folder


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _environment(around: Path, path_first: Path | None) -> dict[str, str]:
    home = around / "home"
    home.mkdir(exist_ok=True)
    found: dict[str, Any] = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(home),
        "USER": "instructor",
        "LC_ALL": "C.UTF-8",
        "OMP_NUM_THREADS": "1",
        "JUPYTERLAB_SETTINGS_DIR": str(around / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(around / "workspaces"),
    }
    return found | ({"JUPYTER_PATH": str(_kernels(around, path_first))} if path_first else {})


def _kernels(around: Path, path_first: Path) -> Path:
    """Describe a Python kernel whose imports look into one folder first."""
    folder = around / "jupyter" / "kernels" / "python3"
    folder.mkdir(parents=True)
    kernel = {
        "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "Python 3",
        "language": "python",
        "env": {"PYTHONPATH": str(path_first)},
    }
    (folder / "kernel.json").write_text(json.dumps(kernel))
    return around / "jupyter"


def _wait_for(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    for _attempt in range(300):
        if server.poll() is not None:
            raise RuntimeError(f"JupyterLab did not start: {log.read_text()[-2000:]}")
        try:
            urllib.request.urlopen(address, timeout=1).close()
            return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise RuntimeError(f"JupyterLab does not answer: {log.read_text()[-2000:]}")
