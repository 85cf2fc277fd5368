"""Tables in the terminal: no control character and no markup of a student's gets through."""

import io

import pytest
from headcheck.grading.verdict import TaskVerdict, Verdict
from headcheck.report.table import class_table, print_verdict, visible
from rich.console import Console

ESCAPES = ["\x1b[31mred", "\x1b]0;title\x07", "a\rb", "a\x08b", "\x00", "\x9b31m", "\u202eabc", "\u2066x", "\u200b"]


@pytest.mark.parametrize("text", ESCAPES)
def test_control_characters_become_question_marks(text):
    shown = visible(text)
    assert all(c.isprintable() for c in shown)
    assert "?" in shown
    assert len(shown) == len(text)


@pytest.mark.parametrize("text", ["plain", "two\nlines\tand a tab", "ağırlık 注意 😀", "[bold]"])
def test_other_text_stays(text):
    assert visible(text) == text


def shown(what):
    console = Console(file=io.StringIO(), width=200, force_terminal=False)
    if isinstance(what, Verdict):
        print_verdict(what, console)
    else:
        console.print(what)
    return console.file.getvalue()


def verdict(message="No.", state="incorrect", notebook="n.ipynb", notes=(), mistakes=(), points=0.0):
    tasks = (TaskVerdict("a", points, 2, state, message, mistakes),)
    return Verdict(notebook, "tiny", points, 2, "A", tasks, notes)


@pytest.mark.parametrize(
    "text", [*ESCAPES, "[bold]x[/bold]", "[/]", "[link=http://evil.example]x[/link]", "\\[/]", "x\\"]
)
def test_a_verdict_with_hostile_text_everywhere_is_printed_as_text(text):
    plain = shown(verdict(text, notebook=text, notes=(text,)))
    assert all(c.isprintable() or c == "\n" for c in plain)
    assert plain.count(visible(text)) >= 3


def test_a_verdict_tells_points_state_message_and_notes():
    plain = shown(verdict("First.\nSecond.", points=0.5, state="partial", notes=("repaired",)))
    for part in (
        "n.ipynb",
        "tiny",
        "0.5 / 2",
        "(isolation A)",
        "partly correct",
        "First.",
        "Second.",
        "note: repaired",
    ):
        assert part in plain


def test_a_correct_task_needs_no_message():
    assert "Passed" not in shown(verdict("Passed.", "correct"))


@pytest.mark.parametrize("student", [*ESCAPES, "[bold]x[/bold]", "[/]", "x\\"])
def test_a_hostile_student_name_in_the_class_table_is_text(student):
    plain = shown(class_table("Tiny", {student: {"tiny": verdict()}}, ["tiny"]))
    assert visible(student).strip() in plain
    assert all(c.isprintable() or c == "\n" for c in plain)


def test_a_course_may_have_brackets_in_its_name():
    assert "Tiny [/] [2026]" in shown(class_table("Tiny [/] [2026]", {}, ["tiny"]))


def test_the_class_table_names_points_mistakes_and_troubles():
    verdicts = {
        "ann": {"tiny": verdict(mistakes=("squared",), points=1)},
        "bob": {"tiny": verdict(state="not_attempted", mistakes=("squared",))},
        "cem": {"tiny": verdict("The notebook could not be read: not a file.", "error")},
        "dan": {"tiny": verdict(state="correct", points=2)},
        "eve": {},
        "fay": {"tiny": verdict(state="timeout")},
    }
    rows = {
        line.split()[1]: line for line in shown(class_table("Tiny", verdicts, ["tiny"])).splitlines() if "│" in line
    }
    assert "1/2" in rows["ann"]
    assert "squared" in rows["ann"]
    assert "not attempted" in rows["bob"]
    assert "squared" not in rows["bob"]
    assert "could not be read: not a file" in rows["cem"]
    assert rows["dan"].split("│")[4].strip() == ""
    assert rows["eve"].split("│")[3].strip() == "-"
    assert "1 took too long" in rows["fay"]


def test_students_stand_in_the_order_of_their_names():
    plain = shown(class_table("Tiny", {name: {} for name in ("zoe", "ann", "bob")}, ["tiny"]))
    assert plain.index("ann") < plain.index("bob") < plain.index("zoe")


def test_the_class_table_of_many_assignments_can_be_read_in_80_columns():
    names = ["quiz", "bug_hunt", "from_scratch", "two_relations", "torch_module", "head_roles", "head_count"]
    table = class_table(
        "Tiny", {"a-student-with-a-name": {name: verdict(mistakes=("squared",)) for name in names}}, names
    )
    console = Console(file=io.StringIO(), width=80, force_terminal=False)
    console.print(table)
    plain = console.file.getvalue()
    assert all(name in plain for name in (*names, "a-student-with-a-name", "squared"))
    assert "…" not in plain
