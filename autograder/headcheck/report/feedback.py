"""The feedback page of one submission: what a student reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path

import pygments
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from headcheck.i18n import _
from headcheck.report.states import STATE_NAMES

MAX_HIGHLIGHT = 20_000
"""Longer code is shown plain: colouring is not worth seconds."""

TEMPLATE = "feedback.html.j2"


@dataclass(frozen=True)
class TaskSection:
    """One task on the page."""

    name: str
    score: float
    max_score: float
    state: str
    paragraphs: Sequence[str]
    """The message: what was seen, the mistake's name, why, a question."""
    details: Sequence[str]
    mistakes: Sequence[str]
    code: str
    """The student's answer in code."""
    printed: str
    """What the answer and its visible check printed."""
    text: str = ""
    """The student's answer in words."""
    comment: str = ""
    """What a person wrote."""
    pending: bool = False
    """A person has yet to grade it."""


@dataclass(frozen=True)
class FeedbackPage:
    """Everything on the page."""

    course: str
    assignment: str
    student: str
    score: float
    max_score: float
    tasks: Sequence[TaskSection]
    notes: Sequence[str] = field(default_factory=tuple)
    isolation: str = ""
    late_penalty: float = 0
    unreadable: str = ""
    """Why the notebook could not be read at all."""

    @property
    def open_points(self) -> float:
        """Points that a person has yet to give."""
        return sum(task.max_score for task in self.tasks if task.pending)


def warm_up() -> None:
    """Make what every page needs: the template, the colours of code."""
    _environment().get_template(TEMPLATE)
    _code("0")
    _code_style()


def render_feedback(page: FeedbackPage) -> str:
    """Render the page; every text of a student's is escaped, and the page loads nothing from anywhere.

    Args:
        page: what stands on it.

    Returns:
        A complete HTML document.
    """
    template = _environment().get_template(TEMPLATE)
    return template.render(
        page=page,
        states={state: _(name) for state, name in STATE_NAMES.items()},
        share=0 if page.max_score <= 0 else max(0.0, min(1.0, page.score / page.max_score)),
        code_style=_code_style(),
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["_"] = _
    environment.filters["code"] = _code
    environment.filters["spans"] = _spans
    environment.filters["points"] = lambda value: f"{round(float(value), 2):g}"
    return environment


@lru_cache(maxsize=1024)
def _code(source: str) -> Markup:
    """Colour Python code; pygments escapes it. Much of a class's code is alike, starting with cells nobody touched."""
    if len(source) > MAX_HIGHLIGHT:
        return Markup('<pre class="code">{}</pre>').format(source)
    return Markup(pygments.highlight(source, *_colours()))


@cache
def _code_style() -> Markup:
    return Markup(HtmlFormatter(style="default").get_style_defs(".code"))


@cache
def _colours() -> tuple[PythonLexer, HtmlFormatter]:
    """Make pygments' parts once: that takes longer than to use them."""
    return PythonLexer(), HtmlFormatter(cssclass="code")


def _spans(text: str) -> Markup:
    """Show what stands between backticks as code; an odd backtick stays as it is."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if index % 2 else escape(part) for index, part in enumerate(parts)
    )
