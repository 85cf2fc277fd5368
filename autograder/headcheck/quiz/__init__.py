"""Questions: kinds of answers, parsing, grading, and the cells they become in a notebook."""

from headcheck.quiz.grading import Grade, grade
from headcheck.quiz.kinds import Choice, Choices, Integer, Kind, Number, Options, Parts, Shape
from headcheck.quiz.notebook import QuestionCells, question_cells
from headcheck.quiz.parsing import Malformed
from headcheck.quiz.question import (
    PRACTICE_SECRET,
    Params,
    Question,
    Section,
    Wrong,
    make_bank,
    misconceptions,
    variant_seed,
    wrong_options,
)
from headcheck.quiz.texts import LANGUAGES, Texts

__all__ = [
    "LANGUAGES",
    "PRACTICE_SECRET",
    "Choice",
    "Choices",
    "Grade",
    "Integer",
    "Kind",
    "Malformed",
    "Number",
    "Options",
    "Params",
    "Parts",
    "Question",
    "QuestionCells",
    "Section",
    "Shape",
    "Texts",
    "Wrong",
    "grade",
    "make_bank",
    "misconceptions",
    "question_cells",
    "variant_seed",
    "wrong_options",
]
