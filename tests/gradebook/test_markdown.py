"""A student's Markdown in an instructor's browser: it may look as it likes, it may not do anything."""

from html.parser import HTMLParser

import pytest
from headcheck.gradebook.markdown import harmless
from hypothesis import given
from hypothesis import strategies as st
from nbconvert.filters import markdown2html

ACTIVE = {
    "script",
    "img",
    "svg",
    "iframe",
    "object",
    "embed",
    "form",
    "input",
    "style",
    "link",
    "meta",
    "base",
    "a",
    "video",
}


class Reader(HTMLParser):
    """Collects what a browser would act on."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        names = [name for name, _value in attrs]
        if tag in ACTIVE or any(name.startswith("on") or name in ("src", "style", "srcdoc") for name in names):
            self.found.append((tag, attrs))


def active_parts(text):
    reader = Reader()
    reader.feed(markdown2html(text))
    return [(tag, attrs) for tag, attrs in reader.found if not is_plain_link(tag, attrs)]


def is_plain_link(tag, attrs):
    """A bare address becomes a link to it, and a heading gets an anchor: both wait for a click and stay on the web."""
    return tag == "a" and dict(attrs).get("href", "").startswith(("https://", "http://", "#"))


ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<ScRiPt >alert(1)</ScRiPt>",
    "<!--><img src=x onerror=alert(1)>",
    "<?x <img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x][y]\n\n[y]: javascript:alert(1)",
    "[y]\n\n[y]: javascript:alert(1)",
    "![x](https://example.org/pixel.png)",
    "<javascript:alert(1)>",
    "<https://example.org>",
    "`<img src=x onerror=alert(1)>`",
    "```html\n<script>alert(1)</script>\n```",
    "# <img src=x onerror=alert(1)>",
    "- a\n- <iframe srcdoc='<script>alert(1)</script>'>",
    "$<img src=x onerror=alert(1)>$",
    "<\nimg src=x onerror=alert(1)>",
    "a | b\n--|--\n<img src=x onerror=alert(1)> | c",
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_active_is_left(attack):
    assert active_parts(harmless(attack)) == []


@given(st.lists(st.sampled_from([*ATTACKS, "<", ">", "[", "](", "]:", "`", "\n", "$", "\\", "x"]), max_size=12))
def test_nothing_active_is_left_of_attacks_put_together(parts):
    assert active_parts(harmless("".join(parts))) == []


def test_formulas_cannot_make_links():
    assert "\\href" not in harmless(r"$\href{javascript:alert(1)}{x}$")


@pytest.mark.parametrize("text", ["**so**, since $x^2 < y$ and `a[0]`", "1. one\n2. two", "a < b, c > d, [1, 2], f(x)"])
def test_an_honest_text_stays_as_it_is(text):
    assert harmless(text) == text
