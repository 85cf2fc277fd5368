"""Keeps the connection machinery of each database, which nbgrader builds anew ten times per submission."""

from __future__ import annotations

import functools

from nbgrader import api


def share_engines() -> None:
    """Make nbgrader use one SQLAlchemy engine per address, so that statements are compiled once.

    nbgrader still closes all connections each time, so a database that was moved or replaced is noticed.
    """
    if not hasattr(api.create_engine, "cache_info"):
        api.create_engine = functools.lru_cache(maxsize=8)(api.create_engine)
