"""Imported once, by the process that the workers of a class run are forked from: what writing pages needs."""

from __future__ import annotations

from headcheck.imports import lasting

with lasting():
    import headcheck.report.pages  # noqa: F401
    from headcheck.report.feedback import warm_up

    warm_up()
