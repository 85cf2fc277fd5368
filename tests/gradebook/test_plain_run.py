"""Plain notebooks in the jail: each cell's end, files and figures brought home, hostile ones left behind."""

import struct

import pytest
import torch
from headcheck.gradebook.plain import pictures, proof, written
from headcheck.gradebook.plain import run as plain_run
from headcheck.gradebook.plain.run import PlainCell, run_plain


@pytest.fixture
def run(jail, tmp_path):
    def run_cells(*sources, graded=(), hidden=(), patience_s=60, timeout_s=2):
        cells = [PlainCell(i, s, timeout_s, i in graded, i in hidden) for i, s in enumerate(sources)]
        return run_plain(jail, cells, tmp_path, patience_s)

    run_cells.folder = tmp_path
    return run_cells


def fates(found):
    return [found.outcomes[index].fate for index in sorted(found.outcomes)]


def test_each_cell_has_an_end_and_a_deadly_one_costs_no_other(run):
    found = run("x = 1", "import os; os._exit(1)", "1 / 0", "x + 1", "while True: pass", "x")
    assert fates(found) == ["ok", "died", "error", "ok", "timeout", "ok"]
    assert found.outcomes[3].output.result == "2"
    assert found.restarts == 1


def test_who_kills_too_often_is_given_up(run, monkeypatch):
    monkeypatch.setattr(plain_run, "MAX_RESTARTS", 1)
    found = run("x = 1", *["import os; os._exit(1)"] * 3, "x")
    assert fates(found) == ["ok", "died", "died", "not run", "not run"]


def test_without_patience_no_process_is_started_again(run):
    assert fates(run("import os; os._exit(1)", "1", patience_s=-1)) == ["died", "not run"]


def test_files_and_modules_beside_the_notebook_are_there(run):
    (run.folder / "data.csv").write_text("1,2")
    (run.folder / "helper.py").write_text("VALUE = 7")
    found = run("import helper; helper.VALUE", "open('data.csv').read()")
    assert [found.outcomes[i].output.result for i in (0, 1)] == ["7", "'1,2'"]
    (run.folder / "data.csv").write_text("another student's")
    assert run("open('data.csv').read()").outcomes[0].output.result == '"another student\'s"'


def test_thousands_of_files_beside_a_notebook_cost_only_their_sight(run):
    for number in range(plain_run.MAX_FILES + 1):
        (run.folder / f"{number}.txt").touch()
    assert fates(run("1", "open('0.txt')")) == ["ok", "error"]


def test_what_was_written_before_the_first_hidden_test_is_brought_home(run):
    found = run(
        "import os; os.mkdir('sub'); open('sub/a.txt', 'w').write('early')",
        "open('.hidden', 'w'); os.symlink('/etc', 'e')",
        "open('none.txt', 'w')",
        "open('late.txt', 'w').write('hidden test')",
        hidden={3},
    )
    assert found.files == {"sub/a.txt": b"early", "none.txt": b""}


def test_a_test_cell_that_was_replaced_is_not_taken_for_one_that_passed(run):
    spoil = "get_ipython().input_transformers_cleanup.insert(0, lambda lines: ['pass\\n'])"
    assert fates(run(spoil, "assert False", "assert False", graded={1})) == ["ok", "replaced", "ok"]


@pytest.mark.parametrize(
    ("source", "result"),
    [
        ("x = 1\nx + 1", "2"),
        ("x = 1; x + 1", "2"),
        ("'é'; (1 +\n 1)", "2"),
        ("x = 1", ""),
        ("# nothing", ""),
        ("%time 5", "5"),
        ("%%capture\n5", ""),
        ("await_ = 1\nimport asyncio\nawait asyncio.sleep(0, 3)", "3"),
        ("1;", ""),
    ],
)
def test_proving_that_a_test_ran_changes_neither_its_end_nor_its_value(run, source, result):
    found = run(source, graded={0})
    assert (found.outcomes[0].fate, found.outcomes[0].output.result) == ("ok", result)


def test_the_word_of_a_proof_is_another_each_time():
    assert proof.Proof("1").source != proof.Proof("1").source


def test_figures_are_fetched_once_and_belong_to_the_cell_that_drew_them(run):
    found = run("import matplotlib.pyplot as plt", "plt.plot([1]); plt.show()", "1", "plt.figure(); plt.figure()")
    assert {index: len(files) for index, files in found.pictures.items()} == {1: 1, 3: 2}
    assert found.pictures[1][0].startswith(pictures.PNG)


def png(width, height):
    return torch.tensor(
        list(pictures.PNG + b"\0\0\0\rIHDR" + struct.pack(">II", width, height) + b"\0" * 9), dtype=torch.uint8
    )


class FakeChild:
    """A hostile process that gives what it likes."""

    def __init__(self, value):
        self.value = value

    def run_cell(self, *_):
        return type("Result", (), {"ok": True})

    def call(self, *_):
        return self.value


@pytest.mark.parametrize(
    "value",
    [None, 5, {}, [1, "x"], [torch.ones(3)], [torch.ones(40, dtype=torch.uint8)], [png(0, 5)], [png(10**5, 10**5)]],
)
def test_what_is_no_decent_picture_is_dropped(value):
    assert pictures.fetch_pictures(FakeChild(value)) == ()


def test_a_decent_picture_is_kept():
    assert len(pictures.fetch_pictures(FakeChild([png(10, 10)] * 99))) == pictures.MAX_PICTURES


BYTES = torch.tensor([1, 2], dtype=torch.uint8)


@pytest.mark.parametrize(
    "name",
    [
        "../a",
        "/etc/a",
        "a/../../b",
        "",
        ".",
        "a//b",
        ".ssh",
        "a\0b",
        "x.ipynb",
        "timestamp.txt",
        "a/b/c/d/e/f/g",
        "a\nb",
    ],
)
def test_files_under_hostile_names_are_left_behind(name):
    assert written.collect_written(FakeChild({name: BYTES, "fine.txt": BYTES})) == {"fine.txt": b"\1\2"}


@pytest.mark.parametrize("value", [None, [1], {"a": 1}, {"a": "text"}, {"a": torch.ones(2)}, {1: BYTES}])
def test_what_is_no_file_is_left_behind(value):
    assert written.collect_written(FakeChild(value)) == {}


def test_written_files_replace_nothing(tmp_path):
    (tmp_path / "taken.txt").write_text("graded")
    (tmp_path / "link.txt").symlink_to(tmp_path / "elsewhere")
    written.put_written({"taken.txt": b"x", "link.txt": b"x", "taken.txt/under": b"x", "sub/new.txt": b"y"}, tmp_path)
    assert (tmp_path / "taken.txt").read_text() == "graded"
    assert not (tmp_path / "elsewhere").exists()
    assert (tmp_path / "sub" / "new.txt").read_bytes() == b"y"
