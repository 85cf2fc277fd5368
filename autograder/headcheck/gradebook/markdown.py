"""Makes a student's Markdown harmless before the formgrader renders it in an instructor's browser.

nbgrader's formgrader passes raw HTML and any link through, and the page that it shows may enter scores. So tags, links
and images are broken up; emphasis, lists, code and formulas stay, and so do pictures pasted into the cell.
"""

from __future__ import annotations

import re
from collections.abc import Collection

_TAG = re.compile(r"<(?=[a-zA-Z/!?])")
_LINK = re.compile(r"\](?=[(\[:])(\(attachment:([\w.-]+)\))?")
_MATHJAX = re.compile(r"\\(?=(?:href|style|class|cssId|unicode|require|bbox|data)\b)")


def harmless(text: str, pictures: Collection[str] = ()) -> str:
    """Break up what a browser or MathJax would act on.

    Args:
        text: Markdown of a student.
        pictures: names of the pictures that came with the cell.

    Returns:
        The same text to the eye, apart from a few spaces.
    """
    text = _TAG.sub("< ", text)
    text = _LINK.sub(lambda link: link[0] if link[2] in pictures else f"] {link[1] or ''}", text)
    return _MATHJAX.sub(r"\\ ", text)
