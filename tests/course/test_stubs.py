"""The stub in place of the answer."""

import pytest
from headcheck.course.stubs import stub_of
from headcheck.errors import UsageError


def region(answer="    return 2", stub="    # return None"):
    return f"    ### BEGIN SOLUTION\n{answer}\n    ### STUB\n{stub}\n    ### END SOLUTION"


def test_the_stub_takes_the_place_of_the_answer_and_keeps_its_indentation():
    assert stub_of(f"def f():\n{region()}\n\nprint(1)") == "def f():\n    return None\n\nprint(1)"


def test_every_region_of_a_cell_is_replaced():
    source = f"def f():\n{region()}\ndef g():\n{region('    return 3', '    # pass')}"
    assert stub_of(source) == "def f():\n    return None\ndef g():\n    pass"


def test_a_comment_in_the_stub_stays_a_comment():
    assert stub_of("### BEGIN SOLUTION\n1\n### STUB\n# # your turn\n### END SOLUTION") == "# your turn"


def test_empty_lines_and_bare_hashes_in_a_stub_become_empty_lines():
    assert stub_of("### BEGIN SOLUTION\n1\n### STUB\n# a\n#\n\n# b\n### END SOLUTION") == "a\n\n\nb"


@pytest.mark.parametrize(
    "source",
    [
        "x = 1",
        "### BEGIN SOLUTION\n1",
        "### BEGIN SOLUTION\n1\n### END SOLUTION",
        "### BEGIN SOLUTION\n1\n### STUB\n# 2",
        "### STUB\n# 2\n### END SOLUTION",
        "### BEGIN SOLUTION\n### BEGIN SOLUTION\n### STUB\n### END SOLUTION",
        "### BEGIN SOLUTION\n1\n### STUB\n### STUB\n### END SOLUTION",
        "### END SOLUTION",
        "### BEGIN SOLUTION\n1\n### STUB\nreturn None\n### END SOLUTION",
    ],
)
def test_a_region_that_is_not_whole_is_refused(source):
    with pytest.raises(UsageError):
        stub_of(source)
