"""Markdown with formulas -> HTML, with the formulas in the syntax of whoever shows the page."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import quote

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

Formula = Callable[[str, bool], str]
"""TeX, and whether it stands on a line of its own -> HTML."""


def delimited(tex: str, display: bool) -> str:
    r"""Write a formula as Moodle and Anki read it: `\( \)`, on a line of its own `\[ \]`."""
    opening, closing = (r"\[", r"\]") if display else (r"\(", r"\)")
    return f"{opening}{html.escape(tex, quote=False)}{closing}"


def canvas_image(tex: str, display: bool) -> str:
    """Write a formula as Canvas does: an image of its own equation server, with the TeX beside it."""
    escaped = html.escape(tex)
    address = quote(quote(tex, safe=""), safe="")
    return (
        f'<img class="equation_image" title="{escaped}" src="/equation_images/{address}?scale=1" '
        f'alt="LaTeX: {escaped}" data-equation-content="{escaped}">'
    )


def mathml(tex: str, display: bool) -> str:
    """Write a formula as MathML, which browsers show and print by themselves."""
    from latex2mathml.converter import convert

    return str(convert(tex, display="block" if display else "inline"))


class Markup:
    """Converts texts of the bank.

    Args:
        formula: how formulas are written.
    """

    def __init__(self, formula: Formula) -> None:
        self._markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
        dollarmath_plugin(self._markdown, double_inline=True)
        for rule, display in (("math_inline", False), ("math_inline_double", True), ("math_block", True)):
            self._markdown.add_render_rule(rule, _rule(formula, display))

    def block(self, markdown: str) -> str:
        """Convert a text that may hold paragraphs, lists and code.

        Args:
            markdown: a text of the bank.

        Returns:
            HTML; tags in the text are shown, not obeyed.
        """
        return str(self._markdown.render(markdown)).strip()

    def line(self, markdown: str) -> str:
        """Convert a text of one paragraph, without the `<p>` around it."""
        text = self.block(markdown)
        inside = text.removeprefix("<p>").removesuffix("</p>")
        return inside if text == f"<p>{inside}</p>" and "<p>" not in inside else text


def _rule(formula: Formula, display: bool) -> Callable[[Any, Sequence[Token], int, Any, Any], str]:
    def render(renderer: Any, tokens: Sequence[Token], index: int, options: Any, environment: Any) -> str:
        written = formula(tokens[index].content.strip(), display)
        return f"<p>{written}</p>\n" if tokens[index].type == "math_block" else written

    return render
