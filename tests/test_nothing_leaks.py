"""No word of a hidden test, of a reference or of a model answer where students or their code could read it."""

import ast
import inspect
import json
import textwrap

import pytest
from headcheck.course.assignment import load_assignment
from headcheck.course.config import load_course, shipped_course
from headcheck.course.stubs import BEGIN, END, STUB
from headcheck.grading.grade import make_jail

COURSE = load_course(shipped_course())


def hidden_words(name):
    """Names and claims of the hidden tests: long enough not to stand anywhere by chance."""
    tree = ast.parse(COURSE.hidden_file(name).read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    assert functions
    return [function.name for function in functions] + [
        ast.get_docstring(function).splitlines()[0] for function in functions
    ]


def model_answers(cell):
    """The lines of a cell's answer that are long enough to tell something."""
    lines, inside = [], False
    for line in cell.source.splitlines():
        if line.strip() in (BEGIN, STUB, END):
            inside = line.strip() == BEGIN
        elif inside and len(line.strip()) > 32:
            lines.append(line.strip())
    return set(lines)


@pytest.mark.parametrize("name", COURSE.assignments)
def test_a_released_notebook_holds_neither_hidden_tests_nor_answers(name):
    assignment = load_assignment(COURSE, name)
    released = COURSE.release_file(name).read_text(encoding="utf-8")
    for word in [*hidden_words(name), "HIDDEN", "headcheck", "BEGIN SOLUTION", "STUB"]:
        assert word not in released
    stubs = {
        line.strip() for cell in assignment.cells if cell.kind == "solution" for line in cell.released.splitlines()
    }
    for cell in assignment.cells:
        if cell.kind == "solution":
            given_away = {line for line in model_answers(cell) if json.dumps(line)[1:-1] in released}
            assert given_away <= stubs, "outside of the stubs, code that is right in one may be asked for in another"


@pytest.mark.parametrize("name", COURSE.assignments)
def test_what_lies_beside_a_released_notebook_is_meant_for_students(name):
    assert [path.name for path in COURSE.release_file(name).parent.iterdir()] == [f"{name}.ipynb"]


def _scan(shifted: list[str]) -> dict[str, list[str]]:
    """Look for the course in everything that this process can read: paths of files, and its own memory.

    Args:
        shifted: words with every character moved up by one. Memory is moved up by one as well before it is searched,
            so neither the words nor any copy made while searching is ever taken for a find.
    """
    import os

    found: dict[str, list[str]] = {"paths": [], "memory": []}
    names = ("hidden", "solutions", "assignments", "submitted", "gradebook.db", "headcheck.toml")
    for folder, folders, files in os.walk("/"):
        if folder == "/":
            folders[:] = [each for each in folders if each != "proc"]
        if "site-packages" in folder or "/lib/python" in folder:
            folders[:] = [each for each in folders if each == "headcheck"]
            continue
        found["paths"] += [os.path.join(folder, each) for each in [*folders, *files] if each in names]
    needles = [word.encode("ascii") for word in shifted]
    up_by_one = bytes([*range(1, 256), 0])
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb") as memory:
        for line in maps:
            area, rights = line.split()[:2]
            start, end = (int(number, 16) for number in area.split("-"))
            if "r" not in rights or "[v" in line or end - start > 1 << 28:
                continue
            try:
                memory.seek(start)
                content = memory.read(end - start)
            except (OSError, ValueError, OverflowError):
                continue
            content = content.translate(up_by_one)
            found["memory"] += [needle.decode("ascii") for needle in needles if needle in content]
    return found


def test_the_jail_holds_nothing_of_the_course_in_its_files_or_its_memory():
    words = [word for name in COURSE.assignments for word in hidden_words(name) if word.isascii()]
    shifted = ["".join(chr(ord(character) + 1) for character in word) for word in [*words, "kept in this very process"]]
    code = "\n".join(
        [
            textwrap.dedent(inspect.getsource(_scan)),
            "kept = ''.join(['kept in ', 'this very ', 'process'])",
            f"found = _scan({json.dumps(shifted)})",
        ]
    )
    with make_jail(COURSE) as jail, jail.spawn() as child:
        if jail.isolation != "A":
            pytest.skip("without a private root a child can see names of files, see docs/security.md")
        result = child.run_cell(0, code, 60)
        assert result.ok, result.error
        found = child.get("found", 5)
    assert found["paths"] == []
    assert set(found["memory"]) == {shifted[-1]}, "the search finds what is there, and nothing else is"
