"""Leaves out an import that takes a second and that nothing here needs."""

from __future__ import annotations

import sys


def leave_out_uri_grammar() -> None:
    """Keep jsonschema, which reads notebooks, from building a grammar of addresses; it does without when it must."""
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]  # None makes its import fail
