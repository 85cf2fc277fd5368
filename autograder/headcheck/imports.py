"""Makes it cheaper to import large libraries: without a module that nothing here needs, without the collector."""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Iterator


def leave_out_string_formats() -> None:
    """Keep jsonschema, which reads notebooks, from making ready to check addresses and durations; it does without.

    No notebook has any, and its grammar of addresses alone takes a second.
    """
    for name in ("rfc3987_syntax", "isoduration"):
        sys.modules.setdefault(name, None)  # type: ignore[arg-type]  # None makes its import fail


@contextlib.contextmanager
def lasting() -> Iterator[None]:
    """Keep the garbage collector off while things are made that last: a fifth of torch's import goes to it in vain.

    It leaves them alone afterwards too: collections, forks (they copy what it touches) and the exit become cheaper.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()
