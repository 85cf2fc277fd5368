"""Files as Canvas and Moodle export them: the right student gets the score, nothing else changes."""

import csv
import io

import pytest
from headcheck.errors import UsageError
from headcheck.gradebook.export.entries import Entry, Student, TaskEntry
from headcheck.gradebook.export.lms_fill import fill
from headcheck.report.filled import account
from hypothesis import given
from hypothesis import strategies as st


def entry(student, score, email="", lms="", maximum=6, manual=False, penalty=0):
    task = TaskEntry("double", score, maximum, needs_manual_grade=manual)
    return Entry(Student(student, "", "", email, lms), "work", (task,), score is not None, late_penalty=penalty)


ANN, BOB, ZOE = entry("ann", 5.5, "Ann@uni.edu"), entry("s1002", 3), entry("zoe", None)
CLASS = [ANN, BOB, ZOE]

CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,Essay (11),Bug hunt (12),Final Score
,,,,,,Manual Posting,
    Points Possible,,,,,10.0,6.0,(read only)
"Abe, Ann",901,,ann@UNI.edu,"A ""1"", B",7.0,,70.0
"Öz, Bob",902,S1002,bob,A,,2.0,
"Ray, Zoe",903,x,zoe,A,,,
"Student, Test",904,,5e3f,A,,,
"""

MOODLE = """\
"First name","Last name","ID number",Institution,Department,"Email address","Quiz: Bug hunt (Real)","Course total (Real)","Last downloaded from this course"
Ann,Abe,,,,ann@uni.edu,-,"70,00",1790000000
Bob,Öz,s1002,"Yıldız Ü.",,bob@uni.edu,"2,00",-,1790000000
"""  # noqa: E501


def rows(data, delimiter=",", codec="utf-8"):
    return list(csv.reader(io.StringIO(data.decode(codec), newline=""), delimiter=delimiter))


def test_a_canvas_file_is_filled_in_by_login_and_id_and_all_else_stays():
    filled = fill(CANVAS.encode(), "Bug hunt", CLASS)
    wanted = CANVAS.replace('B",7.0,,', 'B",7.0,5.5,').replace(",A,,2.0,", ",A,,3,")
    assert filled.data == wanted.encode()
    assert filled.column == "Bug hunt (12)"
    assert filled.scored == ["ann", "s1002"]
    assert filled.without_score == ["zoe"]
    assert filled.unknown == ["line 7: Student, Test, 904, 5e3f"]
    assert filled.absent == []


def test_a_moodle_file_is_filled_in_by_email_and_id_number_with_its_decimal_comma():
    filled = fill(MOODLE.encode(), "Bug hunt", CLASS)
    assert filled.data == MOODLE.replace(".edu,-", '.edu,"5,5"').replace('"2,00"', '"3"').encode()
    assert filled.scored == ["ann", "s1002"]


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "cp1254"])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_every_encoding_line_ending_and_delimiter_is_kept(codec, ending, delimiter):
    def file(score):
        lines = [["Öğrenci", "Username", "work"], ["Şule", "s1002", score], ["İş", "nobody", "-"]]
        return ending.join(delimiter.join(line) for line in lines).encode(codec)

    assert fill(file(""), "work", CLASS).data == file("3")


def test_students_with_a_score_who_are_not_in_the_file_are_listed():
    assert fill(b"Username,work\ns1002,\n", "work", CLASS).absent == ["ann"]


def test_the_score_is_after_the_late_penalty_and_never_below_zero():
    late = [entry("a", 5, penalty=1.25), entry("b", 1, penalty=4)]
    assert fill(b"Username,work\na,\nb,\n", "work", late).data == b"Username,work\na,3.75\nb,0\n"


def test_full_marks_can_be_scaled():
    assert fill(b"Username,work\nann,\n", "work", CLASS, out_of=100).data == b"Username,work\nann,91.6667\n"


def test_who_still_waits_for_a_person_is_listed_and_filled_in():
    filled = fill(b"Username,work\nann,\n", "work", [entry("ann", 2, manual=True)])
    assert (filled.unfinished, filled.data) == (["ann"], b"Username,work\nann,2\n")


@pytest.mark.parametrize("mark", ["EX", "N/A", "ex"])
def test_a_student_whom_canvas_excuses_stays_excused(mark):
    file = f"Username,work\nann,{mark}\ns1002,\n".encode()
    filled = fill(file, "work", CLASS)
    assert filled.data == file[:-1] + b"3\n"
    assert filled.kept == ["ann"]


@pytest.mark.parametrize(
    ("file", "score"),
    [
        (b"Username;other;work\nann;2,5;\n", b";5,5\n"),
        (b"Username;other;work\nann;2.5;\n", b";5.5\n"),
        (b"Username;other;work\nann;7;\n", b";5,5\n"),
        (b'Username,other,work\nann,"2,5",\n', b',"5,5"\n'),
        (b"Username,other,work\nann,7,\n", b",5.5\n"),
        (b'Username,other,work\nann,"2,5",\nx,1,1.0\n', b',5.5\nx,1,1.0\n'),
    ],
)  # fmt: skip
def test_the_decimal_mark_is_that_of_the_column_then_of_the_file_then_of_its_kind(file, score):
    assert fill(file, "work", CLASS).data.endswith(score)


@pytest.mark.parametrize(
    "file",
    [
        b"ID,SIS User ID,work\n1,ann,\n2,ANN,\n",
        b"Username,work\nann,\nann,\n",
        b"Username,Email,work\nann,,\n,ann@uni.edu,\n",
    ],
)
def test_two_rows_about_one_student_are_refused_with_their_lines(file):
    with pytest.raises(UsageError, match="lines 2 and 3 are both about ann"):
        fill(file, "work", CLASS)


@pytest.mark.parametrize("file", [b"Username,Email,work\nann,s1002,\n", b"Email,work\nboth@uni.edu,\n"])
def test_a_row_that_may_be_two_students_is_refused_with_its_line(file):
    shared = [entry("ann", 1, "both@uni.edu"), entry("s1002", 2, "both@uni.edu")]
    with pytest.raises(UsageError, match=r"line 2: .* may be more than one student: ann, s1002"):
        fill(file, "work", shared)


def test_a_spelling_that_fits_exactly_goes_before_one_that_differs_in_capitals():
    filled = fill(b"Username,work\nAnn,\nann,\n", "work", [entry("ann", 1), entry("Ann", 2)])
    assert filled.data == b"Username,work\nAnn,2\nann,1\n"


def test_canvass_own_number_is_no_students_id_where_a_better_one_stands_beside_it():
    class_ = [entry("902", 1), entry("ann", 2)]
    filled = fill(b"ID,SIS User ID,work\n902,new-student,\n901,ann,\n", "work", class_)
    assert filled.data == b"ID,SIS User ID,work\n902,new-student,\n901,ann,2\n"
    assert filled.unknown == ["line 2: 902, new-student"]


def test_canvass_own_number_counts_alone_or_through_the_lms_id():
    assert fill(b"ID,SIS User ID,work\n7,,\n", "work", [entry("7", 1)]).scored == ["7"]
    assert fill(b"ID,SIS User ID,work\n7,other,\n", "work", [entry("a", 1, lms="7")]).scored == ["a"]


def test_a_person_can_name_the_one_column_to_go_by():
    file = b"Kimlik,Username,work\ns1002,ann,\n"
    assert fill(file, "work", CLASS).scored == ["ann"]
    assert fill(file, "work", CLASS, match="Kimlik").scored == ["s1002"]


def test_a_mapping_alone_counts_for_the_students_in_it():
    file = b"Username,work\nann,\nx77,\n"
    filled = fill(file, "work", CLASS, mapping={"ann": "x77", "s1002": "ann"})
    assert filled.data == b"Username,work\nann,3\nx77,5.5\n"


@pytest.mark.parametrize(
    ("file", "column", "words"),
    [
        (b"", "work", "the file is empty"),
        (b"Username,work\n", "other", "no column 'other'; there are: Username, work"),
        (b"Username,work (1),work (2)\n", "work", r"write one of these in full: work \(1\), work \(2\)"),
        (b"Username,work,work\n", "work", "several columns may be 'work'"),
        (b"Name,work\nann,\n", "work", "no column says who a row is about; name one with --match"),
        (b"Username,work\nann,\n", "Username", "column 'Username' says who the students are"),
        (b"Username,work\nann\n", "work", "line 2: has 1 fields, column 'work' is number 2"),
        (b'Username,work\n"ann,\n', "work", "line 2: a quote is opened and never closed"),
        (b"Username,work\nnobody,\n", "work", "nothing to fill in: none of 1 rows"),
        (CANVAS.encode(), "Final Score", r"column 'Final Score' cannot be filled in: \(read only\)"),
    ],
)
def test_what_cannot_be_filled_in_is_said(file, column, words):
    with pytest.raises(UsageError, match=words):
        fill(file, column, CLASS)


def test_a_class_without_scores_is_said():
    with pytest.raises(UsageError, match="the gradebook has no scores"):
        fill(b"Username,work\nzoe,\n", "work", [ZOE])


def test_the_account_names_everybody_and_a_column_of_other_points():
    filled = fill(CANVAS.replace("6.0,(", "100.0,(").encode(), "Bug hunt", [*CLASS, entry("eve", 1)])
    lines = account(filled, CLASS, None)
    assert lines[0] == "column 'Bug hunt (12)': 2 scores filled in"
    assert "worth 100 points, the scores are out of 6" in lines[1]
    assert [line.strip() for line in lines[2:]] == [
        "rows that match nobody in the gradebook (1):",
        "line 7: Student, Test, 904, 5e3f",
        "students with a score who are not in the file (1):",
        "eve",
        "students without a score; their field was left (1):",
        "zoe",
    ]
    assert len(account(fill(CANVAS.encode(), "Bug hunt", CLASS), CLASS, 100)[1:]) == len(lines[1:]) - 2


CELLS = st.text(st.sampled_from('ab,;"\n\r =é5.'), max_size=6)
LINES = st.tuples(CELLS, st.sampled_from(["ann", "s1002", "zoe", "who"]), CELLS, CELLS)


@given(st.lists(LINES, unique_by=lambda line: line[1], max_size=4), st.sampled_from(",;\t"), st.booleans())
def test_python_reads_the_new_scores_and_everything_else_unchanged(lines, delimiter, quoted):
    written = io.StringIO()
    style = csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL
    csv.writer(written, delimiter=delimiter, quoting=style).writerows([("Name", "Username", "work", "x"), *lines])
    data = written.getvalue().encode()
    try:
        filled = fill(data, "work", CLASS)
    except UsageError:
        assert not {"ann", "s1002"} & {line[1] for line in lines}
        return
    before, after = rows(data, delimiter), rows(filled.data, delimiter)
    for old, new in zip(before, after, strict=True):
        if new[1] in ("ann", "s1002"):
            assert new[2].replace(",", ".") == {"ann": "5.5", "s1002": "3"}[new[1]]
            new[2] = old[2]
        assert new == old
