"""Texts of the bank for a terminal: formulas as people type them, Markdown rendered where there are colours."""

from __future__ import annotations

import re

_FORMULA = re.compile(r"(```.*?```|`[^`\n]*`)|\$\$(.+?)\$\$|\$([^$]+)\$", re.DOTALL)
_SYMBOLS = {
    "cdot": "·",
    "times": "×",
    "approx": "≈",
    "le": "≤",
    "leq": "≤",
    "ge": "≥",
    "geq": "≥",
    "ne": "≠",
    "neq": "≠",
    "pm": "±",
    "to": "→",
    "in": "∈",
    "infty": "∞",
    "sum": "Σ",
    "top": "T",
    "ldots": "…",
    "dots": "…",
    "quad": "  ",
    "left": "",
    "right": "",
    ",": " ",
    ";": " ",
    " ": " ",
    "!": "",
    "%": "%",
    "{": "{",
    "}": "}",
    "_": "_",
}
_LETTERS = {
    "alpha": "α",
    "beta": "β",
    "delta": "δ",
    "epsilon": "ε",
    "lambda": "λ",
    "mu": "μ",
    "sigma": "σ",
    "Delta": "Δ",
    "Sigma": "Σ",
}
_UPRIGHT = ("mathrm", "text", "operatorname", "mathbf", "mathit")
_GROUP = r"\{([^{}]*)\}"


def readable(markdown: str) -> str:
    """Write the formulas of a text as people type them in plain text.

    Args:
        markdown: a text of the bank, with formulas between dollars.

    Returns:
        The text, in which `$\\sqrt{d_{model}}$` has become `√d_model`; code is left alone.
    """
    return _FORMULA.sub(lambda match: match[1] or formula(match[2] or match[3]), markdown)


def formula(tex: str) -> str:
    """Write one formula as plain text.

    Args:
        tex: the formula, without dollars; fractions, roots, indices and the usual symbols are known.

    Returns:
        One line.
    """
    text = tex.replace(r"\{", "\u0001").replace(r"\}", "\u0002")
    text = re.sub(r"\\(?:" + "|".join(_UPRIGHT) + ")" + _GROUP, r"\1", text)
    for _depth in range(5):
        text = re.sub(r"([_^])" + _GROUP, lambda match: match[1] + _bundled(match[2]), text)
        text = re.sub(r"\\sqrt" + _GROUP, lambda match: "√" + _bundled(match[1]), text)
        text = re.sub(
            r"\\[dt]?frac" + _GROUP + _GROUP, lambda match: f"{_bundled(match[1])}/{_bundled(match[2])}", text
        )
    text = re.sub(r"\\([A-Za-z]+|.)", lambda match: {**_SYMBOLS, **_LETTERS}.get(match[1], match[1]), text)
    text = re.sub(r"[{}]", "", text).replace("\u0001", "{").replace("\u0002", "}")
    return " ".join(text.split())


def _bundled(text: str) -> str:
    """Put brackets around what would fall apart without the braces."""
    return text if re.fullmatch(r"[\w.]+|\\?\w+", text) else f"({text})"
