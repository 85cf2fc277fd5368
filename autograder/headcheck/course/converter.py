"""Runs one of nbgrader's converters inside this process and tells its failure in one line."""

from __future__ import annotations

import logging
import os
import sys
import warnings
from pathlib import Path

from nbgrader.converters.base import BaseConverter
from sqlalchemy.exc import SAWarning

from headcheck.errors import UsageError


class _Collector(logging.Handler):
    """Keeps what a converter logs as an error; nbgrader logs the traceback and raises something vague."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the last line of a message, which for a traceback is the error itself."""
        text = record.getMessage().strip()
        if text:
            self.lines.append(text.splitlines()[-1])


def prepare_nbgrader() -> None:
    """Make nbgrader usable in this process, and quiet.

    It runs `alembic` by name, which fails when the environment is not activated, and SQLAlchemy warns about the order
    in which it adds rows.
    """
    warnings.filterwarnings("ignore", category=SAWarning)
    scripts = str(Path(sys.executable).parent)
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    if scripts not in folders:
        os.environ["PATH"] = os.pathsep.join([scripts, *folders])


def run_converter(converter: BaseConverter, what: str) -> None:
    """Run a converter to its end.

    Args:
        converter: an nbgrader converter, configured.
        what: what is being converted, for the error.

    Raises:
        UsageError: `what: the first errors that nbgrader logged`.
    """
    prepare_nbgrader()
    log = logging.Logger(f"headcheck.{type(converter).__name__}", logging.WARNING)
    collector = _Collector()
    log.addHandler(collector)
    converter.log = log
    try:
        converter.start()
    except Exception as error:
        causes = [line for line in collector.lines if not line.startswith(("There was an error", "Please see"))]
        raise UsageError(f"{what}: {'; '.join(causes[:2]) or error}") from error
