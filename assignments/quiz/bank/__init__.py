"""The bank: the twelve questions of the lesson, in the lesson's order, and further ones for practice.

To add a question, write a `Question` in the module of its topic and its words in `text/<id>.yaml`, and name it below.
"""

from headcheck.quiz.question import make_bank

from assignments.quiz.bank import (
    bugs,
    costs,
    experiments,
    masks,
    module,
    parameters,
    seeds,
    shapes,
)
from assignments.quiz.bank.draws import texts

LESSON = make_bank(
    shapes.q01,
    shapes.q02,
    shapes.q03,
    parameters.q04,
    parameters.q05,
    module.q06,
    shapes.q07,
    costs.q08,
    masks.q09,
    module.q10,
    experiments.q11,
    seeds.q12,
)
"""Id -> question: those of the graded notebook."""

BANK = make_bank(
    *LESSON.values(),
    shapes.q13,
    shapes.q14,
    shapes.q15,
    parameters.q16,
    parameters.q17,
    parameters.q18,
    parameters.q19,
    masks.q20,
    masks.q21,
    masks.q22,
    masks.q23,
    masks.q24,
    masks.q25,
    masks.q26,
    module.q27,
    module.q28,
    module.q29,
    module.q30,
    module.q31,
    module.q32,
    module.q33,
    costs.q34,
    costs.q35,
    costs.q36,
    seeds.q37,
    seeds.q38,
    seeds.q39,
    seeds.q40,
    experiments.q41,
    bugs.q42,
    bugs.q43,
    bugs.q44,
    bugs.q45,
    bugs.q46,
    masks.q47,
    bugs.q48,
)
"""Id -> question: all of them, for practice."""

TOPICS = texts("topics")
"""The names of the topics, in every language."""
