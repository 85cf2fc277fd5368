"""The text notebook: good ones are read, every author's mistake is one line with its place."""

import pytest
from headcheck.course.markers import TextCell, read_text_notebook
from headcheck.errors import UsageError
from hypothesis import given, settings
from hypothesis import strategies as st

SOLUTION = "# %% solution a\nx = 1\n"
TESTS = "# %% tests a points=1\nassert x\n"


@pytest.fixture
def read(tmp_path):
    def read_text(text, expanders=None):
        path = tmp_path / "work.py"
        path.write_text(text)
        return read_text_notebook(path, expanders)

    return read_text


def test_each_marker_gives_the_kind_name_type_points_and_line_of_its_cell(read):
    cells = read(
        "# %% [markdown]\n# # Title\n\n# %%\n1 + 1\n\n# %% locked setup\nimport torch\n\n" + SOLUTION + TESTS + "\n"
        "# %% manual why [markdown] points=2.5\n# Say why.\n"
    )
    assert cells == [
        TextCell("plain", "", "markdown", "# Title", None, 1),
        TextCell("plain", "", "code", "1 + 1", None, 4),
        TextCell("locked", "setup", "code", "import torch", None, 7),
        TextCell("solution", "a", "code", "x = 1", None, 10),
        TextCell("tests", "a", "code", "assert x", 1.0, 12),
        TextCell("manual", "why", "markdown", "Say why.", 2.5, 15),
    ]


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("# %%\n1\n\n# %% magic a\n1\n", 4, "unknown kind 'magic'"),
        ("# %% Solution a\n1\n", 1, "unknown kind 'Solution'"),
        ("# %% solution\n1\n", 1, "needs a name"),
        ("# %% solution 2nd\n1\n", 1, "needs a name"),
        ("# %% solution a-b\n1\n", 1, "needs a name"),
        ("# %% solution two words\n1\n", 1, "needs a name"),
        (f"# %% solution {'a' * 51}\n1\n", 1, "at most 50"),
        (SOLUTION, 1, "solution a has no `tests a`"),
        (TESTS, 1, "tests a come before (or without) `solution a`"),
        (TESTS + SOLUTION, 1, "tests a come before (or without) `solution a`"),
        (f"# %% locked a\n1\n{TESTS}", 3, "tests a come before (or without) `solution a`"),
        (SOLUTION + TESTS + SOLUTION, 5, "a stands already in line 1"),
        (SOLUTION + TESTS + TESTS, 5, "a_tests stands already in line 3"),
        (f"{SOLUTION}# %% manual a [markdown] points=1\n# w\n", 3, "a stands already in line 1"),
        (f"# %% locked a\n1\n{SOLUTION}", 3, "a stands already in line 1"),
        (f"# %% locked a_tests\n1\n{SOLUTION}{TESTS}", 5, "a_tests stands already in line 1"),
        (f"{SOLUTION}# %% tests a\n1\n", 3, "needs points=N"),
        (f"{SOLUTION}# %% tests a points=0\n1\n", 3, "needs points=N"),
        (f"{SOLUTION}# %% tests a points=-1\n1\n", 3, "needs points=N"),
        (f"{SOLUTION}# %% tests a points=true\n1\n", 3, "needs points=N"),
        (f"{SOLUTION}# %% tests a points=True\n1\n", 3, "needs points=N"),
        (f'{SOLUTION}# %% tests a points="1"\n1\n', 3, "needs points=N"),
        (f"{SOLUTION}# %% tests a points=NaN\n1\n", 3, "needs points=N"),
        (f"{SOLUTION}# %% tests a points=1e999\n1\n", 3, "needs points=N"),
        (f"{SOLUTION}# %% tests a points=two\n1\n", 3, "cannot read this marker"),
        (f"{SOLUTION}# %% tests a point=1\n1\n", 3, "cannot read this marker"),
        ("# %% manual why [markdown]\n# w\n", 1, "needs points=N"),
        ("# %% solution a points=1\n1\n", 1, "a solution cell has no points"),
        ("# %% locked a points=1\n1\n", 1, "a locked cell has no points"),
        ("# %% points=1\n1\n", 1, "points need a kind"),
        ("# %% [markdown] points=1\n# w\n", 1, "points need a kind"),
        (f"# %% solution a [markdown]\n# w\n{TESTS}", 1, "a solution cell cannot be [markdown]"),
        (f"{SOLUTION}# %% tests a [markdown] points=1\n# w\n", 3, "a tests cell cannot be [markdown]"),
        ("# %% locked a [markdown]\n# w\n", 1, "a locked cell cannot be [markdown]"),
        ("# %% [raw]\n# w\n", 1, "not [raw]"),
        ('"""Words."""\n\n# %%\n1\n', 3, "text before the first `# %%` marker"),
        ("x = 1\n", 1, "text before the first `# %%` marker"),
        ('# %%\nx = """\n# %% locked a\n"""\n', 1, "a marker inside a string"),
        ("# %% question q01 points=1\n1\n", 1, "`question` cells are not possible"),
        ("# ---\n# jupyter:\n#   jupytext: 3\n# ---\n\n# %%\n1\n", 1, "jupytext cannot read"),
    ],
)
def test_an_authors_mistake_is_one_line_with_file_and_line(read, tmp_path, text, line, what):
    with pytest.raises(UsageError) as raised:
        read(text)
    message = str(raised.value)
    assert message.startswith(f"{tmp_path / 'work.py'}:{line}: ")
    assert what in message
    assert "\n" not in message


@pytest.mark.parametrize("content", [None, b"# %%\n\xff\xfe\n"])
def test_a_text_notebook_that_is_missing_or_not_utf8_is_named(tmp_path, content):
    path = tmp_path / "work.py"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError, match=r"work\.py: cannot be read"):
        read_text_notebook(path)


def test_an_expander_turns_a_question_into_cells_at_the_line_of_its_marker(read):
    def expand(cell, place):
        assert (cell.name, cell.points) == ("q", 2.0)
        return [TextCell("solution", "q", "code", "q = None", None, 0), TextCell("tests", "q", "code", "1", 2.0, 0)]

    cells = read("# %%\n1\n\n# %% question q points=2\n", {"question": expand})
    assert [(cell.kind, cell.line) for cell in cells] == [("plain", 1), ("solution", 4), ("tests", 4)]


def test_an_expander_places_its_own_error_at_the_marker(read):
    def expand(cell, place):
        raise place.error("no such question")

    with pytest.raises(UsageError, match=r"work\.py:4: no such question"):
        read("# %%\n1\n\n# %% question q points=2\n", {"question": expand})


PIECES = [
    *(
        "# %%",
        "# %% ",
        "solution",
        "tests",
        "manual",
        "locked",
        "question",
        " a",
        " b_tests",
        " points=",
        "1",
        "-1",
        "{",
    ),
    *(
        "[markdown]",
        "[raw]",
        "\n",
        "\n\n",
        "# ",
        "# ---\n",
        "jupyter:",
        '"""',
        "x = 1",
        "\f",
        "\u2028",
        "\r",
        ":",
        "\t",
    ),
]


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(
        st.text(st.characters(exclude_categories=["Cs"])), st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
    )
)
def test_any_text_gives_cells_or_one_line_for_the_author(tmp_path_factory, text):
    path = tmp_path_factory.getbasetemp() / "any_text.py"
    path.write_text(text, encoding="utf-8", newline="")
    try:
        cells = read_text_notebook(path)
    except UsageError as error:
        assert len(str(error).splitlines()) == 1  # noqa: PT017  both ends are fine, anything else is not
    else:
        assert all(cell.kind in ("plain", "locked", "solution", "tests", "manual") for cell in cells)
