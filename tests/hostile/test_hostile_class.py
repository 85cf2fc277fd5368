"""A class with hostile files in it: everybody else is graded as if those were not there, and nothing leaks out."""

import json
import os
import time
from html.parser import HTMLParser
from pathlib import Path

import pytest
from headcheck.course.config import load_course
from headcheck.gradebook.classes.flow import Flow
from headcheck.gradebook.classes.run import ClassRun
from headcheck.gradebook.links import copy_plain_files_only
from headcheck.grading.pool import Pool
from nbgrader.api import Gradebook
from nbgrader.converters import base
from small_course import GOOD, LIMITS

pytestmark = pytest.mark.filterwarnings("ignore:Object of type", "ignore::DeprecationWarning")

XSS = "<script>alert(1)</script><img src=//evil.example/x onerror=alert(1)>"
ALLOWED_TAGS = {
    *("html", "head", "meta", "title", "style", "body", "main", "footer", "section", "div", "h1", "h2", "p", "b", "a"),
    *("progress", "table", "tr", "td", "span", "ul", "li", "details", "summary", "pre", "code"),
}
NAMES = [
    "a;touch pwned",
    "$(touch pwned)",
    "`touch pwned`",
    "-rf",
    "<img src=x onerror=alert(1)>",
    "a&b'\"c",
    "b..",
    "şəbnəm",
]
HOSTILE_CODE = """
import os, sys, torch
os.environ["X"] = "1"
torch.equal = torch.allclose = lambda *a, **k: True
print("<script>alert(1)</script>", "\\x1b[2J", "state: correct")
def double(x): return x * 0
def total(x): os._exit(0)
"""


class Page(HTMLParser):
    """Collects what a page could do."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]


class Quiet:
    """Follows a run and says nothing."""

    def graded(self, student, verdict):
        pass

    def entered(self, student):
        pass

    def warn(self, text):
        raise AssertionError(text)


class Class:
    """A class folder and what comes of grading it."""

    def __init__(self, tiny) -> None:
        self.root, self.tiny = tiny.root, tiny
        tiny.build()

    def place(self, student: str) -> Path:
        folder = self.root / "submitted" / student / self.tiny.name
        folder.mkdir(parents=True)
        return folder / f"{self.tiny.name}.ipynb"

    def hand_in(self, student: str, **answers: str) -> Path:
        return self.tiny.notebook(self.place(student), **answers)

    def hand_in_raw(self, student: str, content: str | bytes) -> Path:
        path = self.place(student)
        path.write_bytes(content.encode(errors="surrogatepass") if isinstance(content, str) else content)
        return path

    def grade(self):
        run = ClassRun(self.root, load_course(self.root), self.tiny.name, Quiet())
        with Pool(run.course, workers=1) as pool:
            result = Flow(run, run.survey(run.submissions()), pool, pool).carry_out()
        with Gradebook(run.places.database) as gradebook:
            rows = gradebook.assignment_submissions(self.tiny.name)
            scores = {row.student.id: row.score for row in rows}
        return result, scores

    def feedback(self) -> dict[Path, str]:
        return {path: path.read_text() for path in (self.root / "feedback").rglob("*.html")}


@pytest.fixture
def make_class(make_course):
    return lambda: Class(make_course(limits=LIMITS))


def honest(made: Class) -> None:
    made.hand_in("alice", **GOOD)
    made.hand_in("half", double=GOOD["double"])
    made.hand_in("zoe", **GOOD)


HONEST = ("alice", "half", "zoe")


def notebook(tiny) -> dict:
    return json.loads(tiny.course.release_file(tiny.name).read_text())


def test_attackers_in_a_class_change_nobody_elses_points(make_class):
    quiet, loud = make_class(), make_class()
    for made in (quiet, loud):
        honest(made)
    loud.hand_in("bob", double=HOSTILE_CODE)
    loud.hand_in("carl", double="while True: pass", total=GOOD["total"])
    loud.hand_in("dora", double="import os; os._exit(0)")
    loud.hand_in("mallory", double=HOSTILE_CODE, total="x = [bytearray(1 << 26) for _ in range(100)]")
    _result, expected = quiet.grade()
    _result, scores = loud.grade()
    assert expected == {"alice": 5, "half": 3, "zoe": 5}
    assert {student: scores[student] for student in HONEST} == expected
    assert (scores["bob"], scores["dora"], scores["mallory"]) == (0, 0, 0)


def test_hostile_files_get_nothing_and_cost_nobody_anything(make_class):
    made = make_class()
    honest(made)
    tiny = made.tiny
    content = notebook(tiny)
    made.hand_in_raw("deep", '{"cells":' + "[" * 1_000_000)
    made.hand_in_raw("deep-metadata", '{"cells": [], "metadata":' + '{"a":' * 100_000 + "1" + "}" * 100_000 + "}")
    big = {**content, "cells": [*content["cells"], {"cell_type": "code", "source": "", "outputs": ["x" * (100 << 20)]}]}
    made.hand_in_raw("big", json.dumps(big))
    made.hand_in_raw("types", json.dumps({"cells": [1, None, {"cell_type": 5, "source": {"a": 1}, "metadata": []}]}))
    text = json.dumps(content)
    made.hand_in_raw("twice", text[:-1] + ', "cells": [{"cell_type": "code", "source": "1", "metadata": {}}]}')
    made.hand_in_raw(
        "surrogate", json.dumps({"cells": [{"cell_type": "code", "source": "x = '\ud800'", "metadata": {}}]})
    )
    made.hand_in_raw("nul", text.encode().replace(b"import torch", b"\0import torch"))
    made.hand_in_raw("empty", b"")
    os.symlink(made.root / "submitted" / "alice" / tiny.name / f"{tiny.name}.ipynb", made.place("file-link"))
    (made.root / "submitted" / "linker").mkdir()
    os.symlink(made.root / "submitted" / "alice" / tiny.name, made.root / "submitted" / "linker" / tiny.name)
    os.symlink(made.root / "submitted" / "alice", made.root / "submitted" / "mirror")
    start = time.monotonic()
    _result, scores = made.grade()
    assert time.monotonic() - start < 120
    assert {student: scores[student] for student in HONEST} == {"alice": 5, "half": 3, "zoe": 5}
    for student in (
        "deep",
        "deep-metadata",
        "big",
        "types",
        "twice",
        "surrogate",
        "empty",
        "file-link",
        "linker",
        "mirror",
    ):
        assert not scores.get(student), student


def test_links_and_devices_beside_a_notebook_are_not_followed(make_class):
    made = make_class()
    secret = made.root / "secret.txt"
    secret.write_text("EXPECTED VALUES")
    folder = made.hand_in("mallory", **GOOD).parent
    (folder / "figure.txt").write_text("my own file")
    os.symlink(secret, folder / "data.txt")
    os.symlink("/dev/zero", folder / "zeros.bin")
    os.symlink("..", folder / "up")
    os.symlink(made.root, folder / "course")
    os.mkfifo(folder / "pipe")
    os.link(secret, folder / "hard.txt")
    _result, scores = made.grade()
    assert scores == {"mallory": 5}
    for place in ("autograded", "feedback"):
        for path in (made.root / place).rglob("*"):
            assert not path.is_symlink()
            if path.is_file():
                assert b"EXPECTED VALUES" not in path.read_bytes(), path


def test_nbgraders_own_commands_copy_plain_files_only(tmp_path):
    copy_plain_files_only()
    (tmp_path / "sub").mkdir()
    for name in ("figure.txt", "sub/more.txt"):
        (tmp_path / name).write_text("mine")
    os.symlink("/etc/passwd", tmp_path / "data.txt")
    os.symlink("/dev/zero", tmp_path / "sub" / "zeros.bin")
    os.link(tmp_path / "sub" / "more.txt", tmp_path / "hard.txt")
    os.mkfifo(tmp_path / "pipe")
    assert base.find_all_files(str(tmp_path)) == [str(tmp_path / "figure.txt")]


def test_names_with_shell_characters_and_html_are_names(make_class, tmp_path, monkeypatch):
    made = make_class()
    monkeypatch.chdir(tmp_path)
    for name in NAMES:
        made.hand_in(name, **GOOD)
    _result, scores = made.grade()
    assert scores == dict.fromkeys(NAMES, 5)
    assert not list(tmp_path.rglob("pwned"))
    assert_pages_are_harmless(made, len(NAMES))


def test_feedback_on_hostile_cells_can_do_nothing(make_class):
    made = make_class()
    made.hand_in(
        "mallory",
        double=f"# {XSS}\ndef double(x):\n    raise type({XSS!r}, (Exception,), {{}})({XSS!r})",
        total=f"print({XSS!r})\nfrom IPython.display import HTML, display\ndisplay(HTML({XSS!r}))\ntotal = {XSS!r}",
        why=f"{XSS}\n\n[x](javascript:alert(1)) ![x](//evil.example/x.png)\n\n<iframe src=//evil.example></iframe>",
        setup=XSS,
    )
    made.grade()
    assert_pages_are_harmless(made, 1)


def assert_pages_are_harmless(made: Class, count: int) -> None:
    pages = made.feedback()
    assert len(pages) == count
    for html in pages.values():
        page = Page(html)
        assert page.tags <= ALLOWED_TAGS
        for name, value in page.attributes:
            assert not name.startswith("on")
            assert name not in ("src", "srcdoc", "style", "action", "formaction", "background", "data")
            assert name != "href" or value.startswith("#")
            assert "javascript:" not in value
