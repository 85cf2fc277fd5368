"""Student code cannot reach files, network, programs or processes outside; without the layers it could."""

import os
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from headcheck.jail import canary
from headcheck.jail.client import Child, Jail
from headcheck.jail.errors import JailUnavailable
from headcheck.jail.layers import LANDLOCK, NAMESPACES, SECCOMP, level
from stage import let_children_read_python


@pytest.fixture(scope="module")
def secret() -> Iterator[Path]:
    """A file that every user of this machine may read and write."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        os.chmod(folder, 0o777)
        path = Path(folder) / "hidden_tests.py"
        path.write_text("EXPECTED = 42\n")
        path.chmod(0o666)
        yield path


@pytest.fixture(scope="module")
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


def attempts(secret: Path, listener: socket.socket) -> dict[str, str]:
    """Return one expression per attempt; each is worth something only when the wall does not hold."""
    return {
        "read": f"open({str(secret)!r}).read()",
        "list": f"os.listdir({str(secret.parent)!r})",
        "write": f"open({str(secret)!r}, 'r+').write('x')",
        "truncate by reading": f"os.open({str(secret)!r}, os.O_RDONLY | os.O_TRUNC)",
        "chmod": f"os.chmod({str(secret)!r}, 0o600)",
        "connect": f"socket.create_connection(('127.0.0.1', {listener.getsockname()[1]}), 1)",
        "udp": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
        "vsock": "socket.socket(socket.AF_VSOCK)",
        "run": "subprocess.check_output(['/usr/bin/id'])",
        "exec": "os.execv('/usr/bin/id', ['id'])",
        "fork": "os.fork()",
        "signal": f"os.kill({os.getpid()}, 0)",
        "signal parent": "os.kill(os.getppid(), 0) if os.getppid() else 1 / 0",
        "look at us": f"open('/proc/{os.getpid()}/cmdline').read()",
        "limit us": f"resource.prlimit({os.getpid()}, resource.RLIMIT_CORE)",
        "ptrace": f"0 if ctypes.CDLL(None).ptrace(16, {os.getpid()}, 0, 0) == 0 else 1 / 0",
        "unshare": "0 if ctypes.CDLL(None).unshare(0x10000000) == 0 else 1 / 0",
        "outlive": "0 if ctypes.CDLL(None).prctl(1, 0, 0, 0, 0) == 0 else 1 / 0",
        "shared memory": "0 if ctypes.CDLL(None).shmget(0x1234, 4096, 0o1666) >= 0 else 1 / 0",
        "poison a package": "open(torch.__file__, 'a')",
        "become root": "os.setuid(0) if os.getuid() else 1 / 0",
    }


def won(child: Child, tries: dict[str, str]) -> list[str]:
    """Run the attempts and return the names of those that got anywhere."""
    assert child.run_cell(0, "import ctypes, os, resource, socket, subprocess, torch", 10).ok
    return [name for name, code in tries.items() if child.run_cell(1, code, 5).ok]


def test_no_attempt_gets_out(child: Child, secret: Path, listener: socket.socket):
    assert won(child, attempts(secret, listener)) == []
    assert child.alive
    assert secret.read_text() == "EXPECTED = 42\n"
    with pytest.raises(BlockingIOError):
        listener.accept()


def test_without_the_layers_the_same_attempts_do_get_out(
    secret: Path, listener: socket.socket, monkeypatch: pytest.MonkeyPatch
):
    let_children_read_python(monkeypatch)
    tries = {name: attempts(secret, listener)[name] for name in ("read", "list", "connect", "run", "look at us")}
    try:
        with Jail(layers=(), minimum="none") as open_jail, open_jail.spawn() as child:
            assert open_jail.isolation == "none"
            assert won(child, tries) == list(tries)
    except JailUnavailable as error:
        pytest.skip(f"without a private root the child cannot read Python: {error}")


def test_the_file_system_shows_nothing_but_python(jail: Jail, child: Child):
    if jail.isolation != "A":
        pytest.skip("needs a private root")
    places = ("/root/.bashrc", "/home", "/var", "/etc/shadow", "/etc/hostname", "/proc/1/root/var")
    code = f"import os\n[place for place in {places} if os.path.exists(place)]"
    assert child.run_cell(0, code, 5).result == "[]"


def test_the_environment_holds_no_secret(child: Child):
    assert os.environ["GRADER_SECRET"] == "do-not-tell"
    code = "import os\nprint(dict(os.environ))\ntry: print(open('/proc/self/environ').read())\nexcept OSError: pass"
    told = child.run_cell(0, code, 5).stdout
    assert "HOME" in told
    assert "do-not-tell" not in told
    assert "GRADER_SECRET" not in told


def test_no_privilege_is_left(child: Child):
    status = child.run_cell(0, "print(open('/proc/self/status').read())", 5).stdout
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert {fields[name] for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {"0" * 16}
    assert fields["NoNewPrivs"] == "1"
    assert fields["Seccomp"] == "2"
    assert fields["Uid"].split()[0] != "0"


def test_disk_space_is_bounded(child: Child):
    code = """
import signal, time
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
written = 0
try:
    for i in range(8):
        with open(f"big{i}", "wb") as file:
            for _ in range(12): written += file.write(b"x" * (1 << 20))
        time.sleep(0.1)
except OSError as error: print(type(error).__name__)
"""
    died = child.run_cell(0, code, 20).died
    assert died == "disk limit" or child.get("written", 5) <= 32 << 20


def test_the_level_follows_from_the_layers():
    assert level((NAMESPACES, LANDLOCK, SECCOMP)) == "A"
    assert level((LANDLOCK, SECCOMP)) == "B"
    assert level((NAMESPACES, SECCOMP)) == "A"  # gVisor
    for layers in ((), (LANDLOCK,), (SECCOMP,), (NAMESPACES,), (NAMESPACES, LANDLOCK)):
        assert level(layers) == "none"


def test_a_full_jail_misses_nothing(jail: Jail):
    assert (jail.isolation == "A") == (jail.missing == [])


def test_too_few_layers_are_refused():
    with Jail(layers=(SECCOMP,)) as jail, pytest.raises(JailUnavailable, match="confined to level none"):
        jail.spawn()


def test_a_canary_that_gets_out_makes_the_level_none(jail: Jail, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(canary, "escaped", lambda child: ("connect",))
    monkeypatch.delitem(jail.__dict__, "escaped", raising=False)
    assert jail.isolation == "none"
    with pytest.raises(JailUnavailable, match="connect to a port"):
        jail.spawn()
    del jail.__dict__["escaped"]


def test_a_child_that_cannot_even_try_counts_as_one_that_got_out(child: Child):
    child.close()
    assert canary.escaped(child) == tuple(one.name for one in canary.CANARIES)


def test_a_child_is_not_the_first_process_of_its_namespace(jail: Jail, child: Child):
    if jail.isolation != "A":
        pytest.skip("needs namespaces")
    assert child.run_cell(0, "import os\n(os.getpid(), os.getppid())", 5).result == "(2, 0)"
    assert child.run_cell(1, "os.abort()", 5).died == "killed by signal 6"  # the kernel would spare a first process


def test_without_a_private_root_the_walls_hold_too(
    secret: Path, listener: socket.socket, monkeypatch: pytest.MonkeyPatch
):
    let_children_read_python(monkeypatch)
    with Jail(layers=(LANDLOCK, SECCOMP)) as jail:
        try:
            child = jail.spawn()
        except JailUnavailable as error:
            pytest.skip(f"the children's user cannot read Python here: {error}")
        assert jail.isolation == "B"
        assert jail.missing == ["namespaces: switched off"]
        assert won(child, attempts(secret, listener)) == []
        assert secret.read_text() == "EXPECTED = 42\n"


def test_a_course_inside_python_is_refused(tmp_path: Path):
    import torch

    with pytest.raises(JailUnavailable, match="move the course"):
        Jail(keep_out=[tmp_path, Path(torch.__file__).parent])
    Jail(keep_out=[tmp_path]).close()


@pytest.mark.parametrize(("what", "value"), [("platform.machine", "riscv64"), ("sys.platform", "darwin")])
def test_a_machine_that_is_not_supported_is_refused_clearly(monkeypatch: pytest.MonkeyPatch, what: str, value: str):
    module, name = what.split(".")
    monkeypatch.setattr(f"{module}.{name}", value if module == "sys" else lambda: value)
    with pytest.raises(JailUnavailable, match=value):
        Jail(minimum="none")
