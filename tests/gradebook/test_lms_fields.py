"""Single fields of a CSV file are replaced; every other byte stays, and Python's own reader sees the same table."""

import csv
import io

import pytest
from headcheck.errors import UsageError
from headcheck.gradebook.export.lms_fields import DELIMITERS, decode, replace, split
from hypothesis import given
from hypothesis import strategies as st

MESSY = st.text(st.sampled_from('ab,;\t"\r\n \0é\u2028😀'), max_size=40)
VALUES = st.text(st.sampled_from('0123456789.,;"\n x'), min_size=1, max_size=6)


def closes_its_quotes(text, delimiter):
    try:
        list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=False))
        split(text, delimiter)
    except UsageError:
        return False
    return True


def table(text, delimiter):
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))


@given(MESSY, st.sampled_from(DELIMITERS))
def test_the_table_is_the_one_that_pythons_reader_sees(text, delimiter):
    if closes_its_quotes(text, delimiter):
        found = [[field.value for field in record.fields] for record in split(text, delimiter)]
        assert found == table(text, delimiter)


@given(MESSY, st.sampled_from(DELIMITERS))
def test_only_a_quote_that_is_never_closed_is_refused(text, delimiter):
    refused = not closes_its_quotes(text, delimiter)
    try:
        list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        if "unexpected end" in str(error):
            assert refused
    else:
        assert not refused


@given(st.lists(st.lists(MESSY, min_size=1, max_size=4), min_size=1, max_size=5), st.data())
def test_replacing_fields_changes_these_fields_and_no_other_byte(rows, data):
    delimiter = data.draw(st.sampled_from(DELIMITERS))
    written = io.StringIO()
    style = data.draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    csv.writer(written, delimiter=delimiter, quoting=style, lineterminator=data.draw(st.sampled_from(["\n", "\r\n"]))
               ).writerows(rows)  # fmt: skip
    text = written.getvalue()
    records = split(text, delimiter)
    places = [(r, c) for r, record in enumerate(records) for c in range(len(record.fields))]
    chosen = data.draw(st.dictionaries(st.sampled_from(places), VALUES, max_size=4)) if places else {}
    new = replace(text, delimiter, [(records[r].fields[c], value) for (r, c), value in chosen.items()])

    wanted = [list(row) for row in table(text, delimiter)]
    for (r, c), value in chosen.items():
        wanted[r][c] = value
    assert table(new, delimiter) == wanted
    assert outside(text, records, chosen) == outside(new, split(new, delimiter), chosen)


def outside(text, records, chosen):
    """The text without the chosen fields."""
    spans = sorted((records[r].fields[c].start, records[r].fields[c].end) for r, c in chosen)
    pieces, at = [], 0
    for start, end in spans:
        pieces.append(text[at:start])
        at = end
    return [*pieces, text[at:]]


@given(st.binary(max_size=60))
def test_any_bytes_come_back_as_they_were_or_are_refused(data):
    try:
        text, encoding = decode(data)
    except UsageError:
        return
    assert encoding.encode(text) == data


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_utf_8_and_utf_16_are_read_with_and_without_a_mark(codec):
    text, _encoding = decode("Öğrenci,No\n".encode(codec))
    assert text == "Öğrenci,No\n"


def test_half_a_character_is_refused():
    with pytest.raises(UsageError, match="not readable as utf-16-le"):
        decode("\ufeffab".encode("utf-16-le") + b"\0")


def test_an_open_quote_is_told_with_its_line():
    with pytest.raises(UsageError, match="line 3: a quote is opened and never closed"):
        split('a,b\nc,d\ne,"f\ng\n', ",")


def test_lines_are_counted_through_fields_of_several_lines():
    assert [record.line for record in split('a\r\n"b\nc\rd"\n\ne', ",")] == [1, 2, 5, 6]


@pytest.mark.parametrize(
    ("text", "value", "result"),
    [
        ("a,b\n", "3.5", "a,3.5\n"),
        ('a,"b"\n', "3.5", 'a,"3.5"\n'),
        ("a,\n", "3,5", 'a,"3,5"\n'),
        ('a,""', "3", 'a,"3"'),
        ("a,b", '"', 'a,""""'),
    ],
)
def test_a_field_keeps_its_quotes_and_gets_them_when_it_needs_them(text, value, result):
    assert replace(text, ",", [(split(text, ",")[0].fields[1], value)]) == result
