"""An exam in the terminal: nothing told before its end, a score, going on after an interruption."""

import pytest
from typist import kept, quiz, right

pytestmark = pytest.mark.usefixtures("own_data")


def exam_answers(wrong=()):
    """Answer the exam that was begun; the questions in `wrong` are left out."""
    names = kept().exam.questions
    return [line for name in names for line in (["."] if name in wrong else right(name))]


def begin_exam(count):
    quiz("--exam", count, typed=["q"])
    return kept().exam.questions


def test_an_exam_ends_with_a_score_and_explains_what_was_not_right():
    names = begin_exam(4)
    told = quiz("--exam", 4, typed=exam_answers(wrong=names[:1])).output
    assert "Score: 3 of 4 (75 %)" in told
    assert told.count("Left out.") == 1
    assert "The answer:" in told
    assert kept().exam is None


def test_an_exam_tells_nothing_before_its_end():
    names = begin_exam(2)
    told = quiz("--exam", 2, typed=["?", "???", *exam_answers()]).output
    before = told.split("Score:")[0]
    assert "There are no hints in an exam." in before
    assert "Right." not in before
    assert "Score: 2 of 2 (100 %)" in told
    assert {answer.exam != "" for answer in kept().answers} == {True}
    assert sorted(answer.question for answer in kept().answers) == sorted(names)


def test_an_interrupted_exam_goes_on_where_it_stopped():
    names = begin_exam(3)
    typed = exam_answers()
    first = right(names[0])
    told = quiz("--exam", 3, typed=[*first, "q"]).output
    assert "1 of 3 are answered and kept" in told
    assert kept().exam.questions == names
    told = quiz("--exam", 3, typed=typed[len(first) :]).output
    assert "Your exam goes on: 1 of 3 are answered." in told
    assert "Score: 3 of 3" in told


def test_an_exam_of_another_length_is_another_exam():
    begin_exam(3)
    assert "given up" in quiz("--exam", 2, typed=["q"]).output
    assert len(kept().exam.questions) == 2
