"""The cells of a question: what stands in the prompt, and a form check that runs anywhere and gives nothing away."""

import random

import pytest
from headcheck.quiz.notebook import question_cells

from assignments.quiz.bank import BANK

questions = pytest.mark.parametrize("question", BANK.values(), ids=BANK)


def release(solution):
    """Give what students get: the lines after STUB, uncommented."""
    stub = solution.split("### STUB\n")[1].split("### END SOLUTION")[0]
    return stub.replace("# ", "", 1)


def run_check(cells, code, capsys):
    names = {}
    exec(code, names)
    exec(cells.check, names)
    return capsys.readouterr().out


@questions
def test_the_model_answer_is_computed_and_the_stub_is_none(question):
    cells = question_cells(question)
    model, stub = {}, {}
    exec(cells.solution, model)
    exec(release(cells.solution), stub)
    assert model[question.id] == question.written_answer(question.lesson)
    assert stub[question.id] is None


@questions
def test_the_check_says_that_nothing_was_answered(question, capsys):
    cells = question_cells(question)
    assert run_check(cells, release(cells.solution), capsys) == f"{question.id}: not answered yet\n"


@questions
def test_the_check_says_the_same_about_right_and_wrong_answers_of_the_right_form(question, capsys):
    cells = question_cells(question)
    right = run_check(cells, cells.solution, capsys)
    assert "the form is right" in right
    for wrong in question.wrong:
        value = question.written_wrong(wrong, question.lesson)
        told = run_check(cells, f"{question.id} = {value!r}", capsys)
        assert told == right or question.arranged(question.lesson).form() in told


@questions
@pytest.mark.parametrize("value", ["{}", "'?'", "(None, None)", "object()", "[[]]", "-1j", "()"])
def test_the_check_stops_at_no_value(question, value, capsys):
    told = run_check(question_cells(question), f"{question.id} = {value}", capsys)
    assert told.startswith(f"{question.id}: the form asked for is ")


@questions
def test_the_prompt_has_heading_points_options_and_form_but_no_answer(question):
    params = question.draw(random.Random(3))
    prompt = question_cells(question, params, points=2).prompt
    assert prompt.startswith(f"### Question {question.number} · {question.title(params)} (2 points)\n")
    assert "*Answer form:* " in prompt
    for choice in question.choices(params):
        for letter, text in question.options(choice, params):
            assert f"- **{letter})** {text}" in prompt


def test_one_point_is_no_points():
    assert "(1 point)" in question_cells(BANK["q01"], points=1).prompt
    assert "point" not in question_cells(BANK["q01"]).prompt.splitlines()[0]
