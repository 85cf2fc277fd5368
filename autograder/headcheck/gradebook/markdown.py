"""Makes a student's Markdown harmless before the formgrader renders it in an instructor's browser.

nbgrader's formgrader passes raw HTML and any link through, and the page that it shows may enter scores. So tags, links
and images are broken up; emphasis, lists, code and formulas stay.
"""

from __future__ import annotations

import re

_TAG = re.compile(r"<(?=[a-zA-Z/!?])")
_LINK = re.compile(r"\](?=[(\[:])")
_MATHJAX = re.compile(r"\\(?=(?:href|style|class|cssId|unicode|require|bbox|data)\b)")


def harmless(text: str) -> str:
    """Break up what a browser or MathJax would act on.

    Args:
        text: Markdown of a student.

    Returns:
        The same text to the eye, apart from a few spaces.
    """
    text = _TAG.sub("< ", text)
    text = _LINK.sub("] ", text)
    return _MATHJAX.sub(r"\\ ", text)
