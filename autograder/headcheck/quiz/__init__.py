"""Questions: kinds of answers, parsing, grading, and the cells they become in a notebook."""

from headcheck.quiz.grading import Grade, grade
from headcheck.quiz.kinds import Choice, Integer, Kind, Number, Parts, Shape
from headcheck.quiz.notebook import QuestionCells, question_cells
from headcheck.quiz.parsing import Malformed
from headcheck.quiz.question import Params, Question, Wrong, make_bank, wrong_options
from headcheck.quiz.texts import LANGUAGES, Texts

__all__ = [
    "LANGUAGES",
    "Choice",
    "Grade",
    "Integer",
    "Kind",
    "Malformed",
    "Number",
    "Params",
    "Parts",
    "Question",
    "QuestionCells",
    "Shape",
    "Texts",
    "Wrong",
    "grade",
    "make_bank",
    "question_cells",
    "wrong_options",
]
