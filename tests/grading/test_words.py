"""What is told about a failed call: no text that student code could make up while it held hidden inputs."""

import pytest
from headcheck.grading.words import crash_words, failure_words
from headcheck.jail.errors import CallTimeout, ChildDied, NotDefined, ProtocolViolation, StudentError, Unsendable

LEAK = "x_is_0_8765"


def test_a_crash_is_told_by_its_kind_and_the_line_of_the_students_own_code():
    assert (
        crash_words("double", StudentError("ValueError", LEAK, 2, 5))
        == "double raised ValueError in line 5 of its cell"
    )
    assert crash_words("double", StudentError("KeyError", LEAK)) == "double raised KeyError"


@pytest.mark.parametrize("name", [LEAK, "", "print", "__doc__", "Value Error", "ValueError\n" + LEAK])
def test_a_kind_that_is_not_pythons_own_is_not_named(name):
    assert crash_words("double", StudentError(name, LEAK, 2, 5)) == "double raised an exception in line 5 of its cell"


@pytest.mark.parametrize(
    "error",
    [
        StudentError("MemoryError", LEAK),
        StudentError("RuntimeError", f"DefaultCPUAllocator: can't allocate memory {LEAK}"),
    ],
)
def test_too_large_a_tensor_is_said_in_words(error):
    assert crash_words("double", error) == "double asked for more memory than there is"


@pytest.mark.parametrize(
    "failure",
    [Unsendable("type", LEAK), Unsendable("key", LEAK), Unsendable("dtype", LEAK), Unsendable("shape", "(8, 7, 6, 5)")],
)
def test_a_class_of_the_students_own_is_not_named(failure):
    assert failure_words(failure).startswith("the value is of a kind that cannot be handed over")


def test_a_class_that_everybody_knows_is_named():
    assert "Module" in failure_words(Unsendable("type", "Module"))
    assert "complex64" in failure_words(Unsendable("dtype", "complex64"))


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        (ChildDied("memory limit"), "ended in the middle of this task (memory limit)"),
        (CallTimeout("it took longer than 5 s"), "it took longer than 5 s"),
        (NotDefined("the notebook does not define double"), "the notebook does not define double"),
        (ProtocolViolation(LEAK), "what came back was not an answer"),
    ],
)
def test_every_other_failure_is_told_in_our_own_words(failure, words):
    assert words in failure_words(failure)
    assert LEAK not in failure_words(failure)
