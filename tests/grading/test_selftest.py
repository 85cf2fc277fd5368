"""`headcheck selftest` finds graders that miss something, in any course."""

import pytest
from click.testing import CliRunner
from headcheck.cli import main
from headcheck.selftest import TABLE, kill_table, selftest
from small_course import BANK, HIDDEN

MORE = """
THIRD = Mistake("third", "three times", "Three is not two.", "What is 3 * 1?", wrong={"double": lambda x: 3 * x})
ALSO_THIRD = Mistake("thrice", "x + x + x", "Three again.", "And now?", wrong={"double": lambda x: x + x + x})
RIGHT = Mistake("right", "nothing", "It is right.", "Is it?", wrong={"total": lambda x: float(x.sum())})
ONE_ROW = Mistake("one-row", "only vectors", "Rows count.", "How many rows?",
                  wrong={"double": lambda x: 2 * x if x.ndim == 1 else x})
BANK = {"squared": SQUARED, **{m.id: m for m in (EXTRA,)}}
"""


def bank(*names):
    return BANK + MORE.replace("(EXTRA,)", f"({', '.join(names)},)")


def misses(tiny, **options):
    return selftest(tiny.course, [tiny.name], **options)[1]


NEEDED = HIDDEN.replace('"double", points=1)', '"double", points=1, kept_for="a start")')


def test_a_course_whose_mistakes_are_all_caught_has_no_misses(make_course):
    tiny = make_course(hidden=NEEDED, bank=BANK)
    tiny.build()
    assert misses(tiny) == []


def test_a_mistake_that_passes_is_a_miss(make_course):
    tiny = make_course(hidden=NEEDED, bank=bank("RIGHT"))
    tiny.build()
    assert any("right 0: it passes" in miss for miss in misses(tiny))


def test_two_mistakes_with_the_same_numbers_are_a_miss_unless_they_are_known_for_it(make_course):
    tiny = make_course(hidden=NEEDED, bank=bank("THIRD", "ALSO_THIRD"))
    tiny.build()
    assert any("third 0: it cannot be told from thrice" in miss for miss in misses(tiny))


def test_inseparable_mistakes_with_a_reason_are_no_miss(make_course):
    known = bank("THIRD", "ALSO_THIRD") + 'INSEPARABLE = [(frozenset({"third", "thrice"}), "they are the same")]\n'
    tiny = make_course(hidden=NEEDED, bank=known)
    tiny.build()
    assert misses(tiny) == []


def test_a_test_that_no_mistake_needs_is_a_miss(make_course):
    tiny = make_course(bank=BANK)
    tiny.build()
    assert sum("is not needed" in miss for miss in misses(tiny)) == 2


def test_a_mistake_that_fails_one_test_alone_makes_it_needed(make_course):
    tiny = make_course(bank=bank("ONE_ROW"))
    tiny.build()
    found = misses(tiny)
    assert not any("test_a_matrix_is_doubled" in miss for miss in found)
    assert any("test_a_vector_is_doubled is not needed" in miss for miss in found)


@pytest.mark.parametrize(
    ("kind", "answer", "miss"),
    [
        ("correct", "def double(x):\n    return x + x\n", None),
        ("correct", "def double(x):\n    return x\n", "a right answer fails"),
        ("wrong", "def double(x):\n    return x * x\n", None),
        ("wrong", "def double(x):\n    return x * 7\n", "it is not named"),
    ],
)
def test_answers_of_the_corpus_are_tried_too(make_course, kind, answer, miss):
    tiny = make_course(hidden=NEEDED, bank=BANK)
    tiny.build()
    path = tiny.root / "tests/corpus/double" / kind / "squared.py"
    path.parent.mkdir(parents=True)
    path.write_text(answer)
    found = misses(tiny)
    assert (found == []) if miss is None else any(miss in one for one in found)


def test_the_table_shows_which_test_catches_which_mistake(make_course):
    tiny = make_course(hidden=NEEDED, bank=BANK)
    tiny.build()
    text = kill_table(*selftest(tiny.course, [tiny.name]))
    assert "| squared 0 | x | x | squared |" in text
    assert "kept for: a start" in text
    assert "Right answers that pass: 1 of 1." in text


def test_the_command_writes_the_table_and_fails_on_a_miss(make_course):
    good, bad = make_course(hidden=NEEDED, bank=BANK), make_course(bank=BANK)
    for tiny in (good, bad):
        tiny.build()
        (tiny.root / "docs").mkdir()
    run = CliRunner().invoke
    assert run(main, ["selftest", "--course", str(good.root)]).exit_code == 0
    assert "squared" in (good.root / TABLE).read_text()
    assert run(main, ["selftest", "--course", str(bad.root)]).exit_code == 1
