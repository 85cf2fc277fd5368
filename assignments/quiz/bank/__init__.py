"""The bank: the twelve questions of the lesson, in the lesson's order.

To add a question, write a `Question` in the module of its topic and its words in `text/<id>.yaml`, and name it below.
"""

from headcheck.quiz.question import make_bank

from assignments.quiz.bank import experiments, masks, parameters, shapes

BANK = make_bank(
    shapes.q01,
    shapes.q02,
    shapes.q03,
    parameters.q04,
    shapes.q05,
    shapes.q06,
    parameters.q07,
    parameters.q08,
    masks.q09,
    shapes.q10,
    experiments.q11,
    experiments.q12,
)
"""Id -> question."""
