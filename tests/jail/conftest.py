"""One jail per test module (its start takes two seconds), a fresh child per test."""

from collections.abc import Iterator

import pytest
from headcheck.jail.client import Child, Jail
from headcheck.jail.errors import JailUnavailable


@pytest.fixture(scope="module")
def jail() -> Iterator[Jail]:
    try:
        with pytest.MonkeyPatch.context() as patch, Jail() as made:
            patch.setenv("GRADER_SECRET", "do-not-tell")
            made.spawn().close()
            yield made
    except JailUnavailable as error:
        pytest.skip(f"no jail on this machine: {error}")


@pytest.fixture
def child(jail: Jail) -> Iterator[Child]:
    with jail.spawn() as made:
        yield made
