"""A module that waits for its first use behaves like the module itself, whatever is done with it first."""

import subprocess
import sys
import textwrap

import pytest

START = """
import importlib, sys
sys.path.insert(0, sys.argv[1])
from headcheck.jail.deferred import defer, put_off
assert defer("parcel") and defer("parcel.inner")
import parcel
import parcel.inner as inner
from parcel import inner as again
assert again is inner is sys.modules["parcel.inner"]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("modules")
    (folder / "parcel").mkdir()
    (folder / "parcel/__init__.py").write_text("print('parcel')\nname = __name__\n")
    (folder / "parcel/inner.py").write_text(
        "print('inner')\nfrom parcel import name\nvalue = 1\ndef get():\n    return value\n"
    )
    (folder / "broken.py").write_text("print('broken')\nx = 1\nraise ImportError('on purpose')\n")
    return folder


def printed(folder, code):
    done = subprocess.run(
        [sys.executable, "-c", START + textwrap.dedent(code), str(folder)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_import_statements_load_nothing(folder):
    assert printed(folder, "import parcel.inner; importlib.import_module('parcel.inner'); print(inner.__name__)") == [
        "parcel.inner"
    ]


@pytest.mark.parametrize(
    "use",
    [
        "assert inner.value == 1",
        "assert inner.get() == 1",
        "from parcel.inner import value",
        "from parcel.inner import *; assert value == 1 and get() == 1",
        "assert 'value' in dir(inner)",
        "inner.value = 2; assert inner.get() == 2 and again.value == 2",
        "del inner.value; assert not hasattr(inner, 'value')",
        "assert not hasattr(inner, '__all__') and inner.value == 1",
        "assert inner.__dict__ is vars(inner) and getattr(inner, 'value') == 1 and vars(inner)['value'] == 1",
    ],
)
def test_the_first_use_loads_it_and_what_it_needs_once(folder, use):
    again = "assert type(inner) is type(sys) and inner.__spec__.name == 'parcel.inner'; inner.get"
    assert printed(folder, f"{use}; {again}") == ["inner", "parcel"]


def test_what_was_put_off_is_done_once_it_is_loaded(folder):
    code = """
        assert put_off("parcel.inner", lambda: print("afterwards", inner.value))
        inner.get()
        assert not put_off("parcel.inner", lambda: print("never")) and not put_off("json", lambda: print("never"))
    """
    assert printed(folder, code) == ["inner", "parcel", "afterwards", "1"]


def test_a_module_that_cannot_be_loaded_is_not_there_afterwards(folder):
    code = """
        assert defer("broken")
        import broken
        try:
            broken.y
        except ImportError as error:
            assert "on purpose" in str(error)
        assert "broken" not in sys.modules
    """
    assert printed(folder, code) == ["broken"]


def test_what_is_not_installed_is_not_put_off(folder):
    assert printed(folder, "assert not defer('nothing_of_this_name') and not defer('nothing.inner')") == []
