"""A zygote's twins: ready at once, alone with their user, and gone with him."""

import os
import time

import pytest
from headcheck.jail import launcher
from headcheck.jail.client import Jail, Limits
from headcheck.jail.launcher import Zygote


@pytest.fixture(scope="module")
def zygote():
    made = Zygote()
    yield made
    made.close()


def gone(path, within=5):
    until = time.monotonic() + within
    while os.path.exists(path) and time.monotonic() < until:
        time.sleep(0.02)
    return not os.path.exists(path)


def test_a_jail_works_with_a_twin_as_with_its_own_zygote(zygote):
    twin = zygote.twin()
    twin.adopt()
    with Jail(limits=Limits(memory_mb=512, cpu_s=10)) as jail, jail.spawn() as child:
        assert child.run_cell(0, "print(1 + 1)", 5).stdout == "2\n"
        assert jail._zygote.mount_point == twin.mount_point != zygote.mount_point
    assert gone(twin.mount_point)
    assert os.path.exists(zygote.mount_point)


def test_a_twin_that_nobody_holds_any_more_ends_and_leaves_nothing(zygote):
    twin = zygote.twin()
    twin.control.close()
    assert gone(twin.mount_point)
    zygote.twin().control.close()  # the zygote itself still serves


def test_twins_live_on_without_the_zygote_that_they_were_forked_from():
    first = Zygote()
    twin = first.twin()
    twin.adopt()
    assert launcher._ahead[-1].offer
    first.close()
    with Jail(limits=Limits(memory_mb=512, cpu_s=10)) as jail, jail.spawn() as child:
        assert child.run_cell(0, "print(3)", 5).stdout == "3\n"
