"""Runs one of nbgrader's converters inside this process and tells its failure in one line."""

from __future__ import annotations

import logging
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from headcheck.errors import UsageError

if TYPE_CHECKING:
    from nbgrader.converters.base import BaseConverter

RELEASE_PREPROCESSORS = [
    "nbgrader.preprocessors.IncludeHeaderFooter",
    "nbgrader.preprocessors.LockCells",
    "headcheck.course.stubs.StubSolutions",
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.CheckCellMetadata",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.SaveCells",
    "nbgrader.preprocessors.ClearHiddenTests",
    "nbgrader.preprocessors.ClearMarkScheme",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.CheckCellMetadata",
]
"""nbgrader's own list with our stubs, and without InstantiateTests: no kernel is started to build a notebook."""


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
    """Make nbgrader usable in this process, quick and quiet.

    For every new database it runs `alembic` by name, which takes seconds and fails when the environment is not
    activated; and SQLAlchemy warns about the order in which it adds rows.
    """
    from nbgrader import api
    from sqlalchemy.exc import SAWarning

    warnings.filterwarnings("ignore", category=SAWarning)
    api.get_alembic_version = _alembic_version


def _alembic_version() -> str:
    """Tell the version of nbgrader's database tables, in this process."""
    import nbgrader
    from alembic.script import ScriptDirectory

    return str(ScriptDirectory(str(Path(nbgrader.__file__).parent / "alembic")).get_current_head())


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
