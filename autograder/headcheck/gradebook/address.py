"""Checks the address of a gradebook, nbgrader's `db_url`, without loading nbgrader; says in one line what is wrong.

SQLAlchemy is imported when it is needed: a class run has its workers started first.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from headcheck.errors import UsageError
from headcheck.i18n import _

if TYPE_CHECKING:
    from sqlalchemy.engine import URL


def check_database(address: str) -> str:
    """Check that the gradebook can be reached; it need not exist yet.

    Args:
        address: nbgrader's `db_url`.

    Returns:
        The address for people to read, without the password.

    Raises:
        UsageError: it is no address, the driver is missing, or the server refuses.
    """
    from sqlalchemy import create_engine
    from sqlalchemy.pool import NullPool

    url = database_url(address)
    if url.get_backend_name() != "sqlite":
        with one_line_errors(url):
            create_engine(url, poolclass=NullPool).connect().close()
    return str(url)


def database_url(address: str) -> URL:
    """Read nbgrader's `db_url`.

    Args:
        address: the address.

    Returns:
        The parsed address (as text it hides the password); SQLAlchemy knows the kind of database and has its driver.

    Raises:
        UsageError: it does not.
    """
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError, NoSuchModuleError

    try:
        url = make_url(address)
    except ArgumentError as error:
        raise UsageError(_("db_url: not the address of a database")) from error
    try:
        url.get_dialect().import_dbapi()
    except (ImportError, NoSuchModuleError) as error:
        raise UsageError(
            _("db_url {url}: the database driver is missing ({error}); for PostgreSQL: pip install {extra}").format(
                url=url, error=error, extra='"headcheck[postgres]"'
            )
        ) from error
    return url


@contextlib.contextmanager
def one_line_errors(url: URL) -> Iterator[None]:
    """Turn a refusal by the database into one line.

    Args:
        url: its address.

    Raises:
        UsageError: the database refused something.
    """
    from sqlalchemy.exc import DBAPIError

    try:
        yield
    except DBAPIError as error:
        cause = str(error.orig).strip().splitlines()
        raise UsageError(
            _("gradebook {url}: {cause}").format(url=url, cause=cause[0] if cause else type(error).__name__)
        ) from error
