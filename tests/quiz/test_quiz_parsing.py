"""Reading answers: forgiving about spelling, never an exception other than Malformed, bounded."""

import math

import numpy as np
import pytest
import torch
from headcheck.quiz import parsing
from headcheck.quiz.kinds import Choice, Choices, Integer, Number, Parts, Shape
from headcheck.quiz.parsing import Malformed
from hypothesis import given, settings
from hypothesis import strategies as st


def written(values):
    """Parametrize with values that may be huge, so their names are numbers."""
    names = [f"{at}-{type(value).__name__}" for at, value in enumerate(values)]
    return pytest.mark.parametrize("written", values, ids=names)


KINDS = (
    Integer(),
    Number(),
    Shape(("B", "h", "n", "d_k"), tell_length=True),
    Shape(("B", "n")),
    Choice(("one", "two", "three", "four")),
    Choices(("one", "two", "three", "four")),
    Parts({"first": Integer(), "second": Shape(("B", "n")), "third": Choice(("one", "two"), "third")}),
)


@written(
    [
        16640,
        16640.0,
        "16640",
        " 16640 ",
        "16 640",
        "16\u00a0640",
        "16\u202f640",
        "16_640",
        "16,640",
        "16.640",
        "16'640",
        "16640.0",
        "16640,00",
        np.int64(16640),
        np.float32(16640),
        np.array(16640),
        torch.tensor(16640),
        torch.tensor(16640.0),
    ],
)
def test_a_whole_number_is_read_in_every_usual_spelling(written):
    assert parsing.integer(written) == 16640


@written(
    [
        True,
        np.bool_(True),
        torch.tensor(True),
        8.5,
        "8.5",
        math.nan,
        math.inf,
        -math.inf,
        10**400,
        "9" * 50,
        1e300,
        "",
        "eight",
        "1,23,456",
        "0,640",
        (8,),
        {"a": 8},
        object(),
        8j,
        b"8",
        "8" * 10**7,
        torch.ones(3, 3),
    ],
)
def test_what_is_no_whole_number_is_malformed(written):
    with pytest.raises(Malformed):
        parsing.integer(written)


@written(["8,000", "8.000", "16,000"])
def test_a_text_with_two_readings_is_malformed_and_says_so(written):
    with pytest.raises(Malformed, match="two ways"):
        parsing.integer(written)


def test_several_groups_of_digits_have_one_reading():
    assert parsing.integer("1,048,000") == 1048000


@written(
    [
        8**0.5,
        math.sqrt(8),
        "sqrt(8)",
        "math.sqrt(8)",
        "np.sqrt(8)",
        "8**0.5",
        "8 ** 0.5",
        "8^0.5",
        "8 ** (1/2)",
        "2*sqrt(2)",
        "\u221a8",
        "\u221a(8)",
        "\\sqrt{8}",
        "8 ** .5",
        np.sqrt(8),
        torch.tensor(8.0).sqrt(),
    ],
)
def test_a_root_is_read_however_it_is_written(written):
    assert parsing.number(written) == pytest.approx(math.sqrt(8), abs=1e-6)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("2.83", 2.83),
        ("2,83", 2.83),
        (8, 8.0),
        ("8x", 8.0),
        ("\u00d7 8", 8.0),
        ("1/8", 0.125),
        ("-1.5", -1.5),
        ("1e3", 1000),
        ("16 640", 16640.0),
        ("2.828", 2.828),
    ],
)
def test_a_number_is_read(written, value):
    assert parsing.number(written) == value


@written(
    [
        True,
        math.nan,
        math.inf,
        "nan",
        "inf",
        "sqrt(-1)",
        "(-8) ** 0.5",
        "1/0",
        "9**9**9**9",
        "sqrt()",
        "sqrt(1, 2)",
        "set",
        "sqrt",
        "(" * 55,
        "1e",
        "__import__('os')",
        "8 8",
        "e" * 40,
        (2.8,),
        "2" * 10**7,
        10**400,
    ],
)
def test_what_is_no_finite_number_is_malformed(written):
    with pytest.raises(Malformed):
        parsing.number(written)


def test_a_comma_that_could_group_or_divide_is_malformed_for_a_number():
    with pytest.raises(Malformed, match="two ways"):
        parsing.number("2,828")


@written(
    [
        (4, 8, 10, 8),
        [4, 8, 10, 8],
        torch.Size([4, 8, 10, 8]),
        (4.0, 8.0, 10.0, 8.0),
        ("4", "8", "10", "8"),
        "(4, 8, 10, 8)",
        "[4,8,10,8]",
        "4, 8, 10, 8",
        "4x8x10x8",
        "4 \u00d7 8 \u00d7 10 \u00d7 8",
        "4 8 10 8",
        "4*8*10*8",
        "torch.Size([4, 8, 10, 8])",
        "(4,8,10,8,)",
        np.array([4, 8, 10, 8]),
        torch.tensor([4, 8, 10, 8]),
        tuple(np.int64(size) for size in (4, 8, 10, 8)),
        tuple(torch.tensor(size) for size in (4, 8, 10, 8)),
    ],
)
def test_a_shape_is_read_in_every_usual_spelling(written):
    assert parsing.sizes(written) == (4, 8, 10, 8)


def test_a_shape_of_one_axis_needs_its_brackets():
    assert parsing.sizes("(64,)") == (64,)
    with pytest.raises(Malformed):
        parsing.sizes("64")


@written(
    [
        8,
        "B, h, n, d_k",
        (4, None),
        (4, True),
        (4, -1),
        (4, (8, 10)),
        (4, 8.5),
        [[[[[4]]]]],
        [1] * 10**6,
        "4," * 10**6,
        "()",
        {4, 8},
        "4--8",
        torch.ones(2, 3),
    ],
)
def test_what_is_no_shape_is_malformed(written):
    with pytest.raises(Malformed):
        parsing.sizes(written)


def test_a_tensor_in_place_of_its_shape_is_told_so():
    with pytest.raises(Malformed, match="whole tensor"):
        parsing.sizes(torch.ones(4, 8, 10, 8))


@written(["b", "B", "b)", " (b) ", "b.", "(B)", "'b'", "[b]"])
def test_a_letter_is_read_however_it_is_decorated(written):
    assert parsing.letter(written, "abcd") == "b"


@written(["a, c", "ac", "C A", "(a) (c)", "a; c", "a c", ["a", "c"], ("C", "a)"), {"a", "c"}, '["a", "c"]', "a, c, a"])
def test_several_letters_are_read_in_any_order_and_however_they_are_separated(written):
    assert parsing.letters(written, "abcd") == {"a", "c"}


@written(["e", "a, e", "", ",", 2, True, None, (), [1, "a"], [["a"]], {1}, {}, "a" * 10**7, "a and c", "\u0430, c"])
def test_what_is_no_set_of_letters_is_malformed(written):
    with pytest.raises(Malformed):
        parsing.letters(written, "abcd")


@written(["e", "ab", "", 2, True, None, ("b",), "b" * 10**7, "\u0431"])
def test_what_is_no_letter_of_an_option_is_malformed(written):
    with pytest.raises(Malformed):
        parsing.letter(written, "abcd")


@written(["((4, 10, 10), c)", "(4, 10, 10), c", "(4, 10, 10); c", "4x10x10; c", "[(4, 10, 10), 'c']"])
def test_parts_in_one_text_are_taken_apart(written):
    shape, letter = parsing.parts(written, 2)
    assert parsing.sizes(shape) == (4, 10, 10)
    assert parsing.letter(letter, "abcd") == "c"


@written([8, (1, 2, 3), "1, 2, 3", (), "", None, ")(", torch.ones(2, 2)])
def test_another_number_of_parts_is_malformed(written):
    with pytest.raises(Malformed):
        parsing.parts(written, 2)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: type(kind).__name__)
def test_a_malformed_answer_is_told_the_form_that_is_asked_for(kind):
    with pytest.raises(Malformed) as error:
        kind.parse({"a": 1})
    assert kind.form() in str(error.value)
    assert "dict" in str(error.value)


scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=10**300, max_value=10**301)
    | st.floats()
    | st.text(max_size=300)
    | st.text("0123456789.,x* ()[]-+e_sqrt;/^", max_size=80)
)
tensors = st.sampled_from(
    [
        torch.tensor(3),
        torch.tensor(math.nan),
        torch.tensor([1, 2]),
        torch.tensor(1j),
        torch.empty(0),
        torch.zeros(3, 3),
        torch.empty(2, device="meta"),
        torch.zeros(2, requires_grad=True),
        torch.zeros(17),
        np.float64("inf"),
        np.array(["x"]),
        np.datetime64("2024-01-01"),
    ]
)
wire_values = st.recursive(
    scalars | tensors,
    lambda inner: (
        st.lists(inner, max_size=20)
        | st.lists(inner, max_size=5).map(tuple)
        | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=40,
)


def complaint_about(kind, value):
    try:
        kind.parse(value)
    except Malformed as error:
        return str(error)
    return None


@settings(max_examples=300, deadline=None)
@given(value=wire_values)
def test_any_value_is_read_or_malformed_and_the_complaint_is_short(value):
    for kind in KINDS:
        complaint = complaint_about(kind, value)
        assert complaint is None or 0 < len(complaint) < 500


def test_endless_and_huge_answers_are_refused_at_once():
    endless: list[object] = []
    endless.append(endless)
    huge = [[[1] * 16] * 16] * 16
    for kind in KINDS:
        for value in (endless, huge, "(" * 10**7, "1," * 10**6, "-" * 200, "(" * 200, "1" * 200, 10**5000):
            with pytest.raises(Malformed):
                kind.parse(value)


@pytest.mark.parametrize(
    ("language", "typed", "value"),
    [
        ("en", "8,000", 8000),
        ("en", "8.000", 8),
        ("tr", "8.000", 8000),
        ("tr", "8,000", 8),
        ("uz", "8,000", 8),
        ("uz", "8 000", 8000),
        ("tr", "16.640", 16640),
    ],
)
def test_a_whole_number_is_read_as_the_language_writes_it(language, typed, value):
    assert parsing.integer(typed, language) == value


@pytest.mark.parametrize(
    ("language", "typed", "value"),
    [
        ("tr", "2,828", 2.828),
        ("uz", "2,828", 2.828),
        ("en", "2.828", 2.828),
        ("uz", "2.828", 2.828),
        ("tr", "2.83", 2.83),
    ],
)
def test_a_number_is_read_as_the_language_writes_it(language, typed, value):
    assert parsing.number(typed, language) == value


@pytest.mark.parametrize(("language", "typed"), [("en", "2,828"), ("tr", "2.828"), (None, "2,828")])
def test_a_number_with_two_readings_in_its_language_is_asked_again(language, typed):
    with pytest.raises(Malformed, match="two ways"):
        parsing.number(typed, language)


@pytest.mark.parametrize(("language", "typed"), [("uz", "8.000"), (None, "8.000"), (None, "8,000")])
def test_a_whole_number_with_two_readings_in_its_language_is_asked_again(language, typed):
    with pytest.raises(Malformed, match="two ways"):
        parsing.integer(typed, language)
