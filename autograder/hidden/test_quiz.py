"""Hidden grader of the quiz: every answer is graded by the question bank, with the lesson's own numbers."""

from headcheck.grading.checks import WrongAnswer, task
from headcheck.i18n import _
from headcheck.jail.errors import Unsendable

from assignments.quiz.bank import BANK


def check(student, name):
    """Grade the variable `name`; raise WrongAnswer, with the share that is earned all the same, unless it is right."""
    question = BANK[name]
    try:
        value = student.value(name)
    except Unsendable as error:
        form = question.arranged(question.lesson).form()
        message = _("This could not be read, so it was not judged: {form} is asked for, but {error}.").format(
            form=form, error=error
        )
        raise WrongAnswer(message, state="malformed") from error
    found = question.grade(question.lesson, value)
    if found.state == "correct":
        return
    state = found.state if found.state in ("not_attempted", "malformed") else None
    raise WrongAnswer(found.message, fraction=found.fraction, mistakes=found.mistakes, state=state)


@task("q01", points=1)
def test_q01_width_of_one_head(student):
    """The heads divide the model width among themselves."""
    check(student, "q01")


@task("q02", points=2)
def test_q02_shape_after_splitting(student):
    """Heads stand beside the batch, each with its own (n, d_k) matrix; a wrong order earns half."""
    check(student, "q02")


@task("q03", points=2)
def test_q03_shape_of_the_weights(student):
    """Every head of every example has its own table of token pairs; a wrong order earns half."""
    check(student, "q03")


@task("q04", points=2)
def test_q04_counting_parameters(student):
    """Four linear layers with bias, whatever the number of heads."""
    check(student, "q04")


@task("q05", points=2)
def test_q05_the_packed_projection(student):
    """Three projections are stacked row-wise in one weight; a wrong order earns half."""
    check(student, "q05")


@task("q06", points=2)
def test_q06_the_weights_that_the_module_returns(student):
    """By default the heads are averaged away: shape and meaning, one point each."""
    check(student, "q06")


@task("q07", points=1)
def test_q07_the_scale_of_the_scores(student):
    """Scores are divided by the root of the width of a head."""
    check(student, "q07")


@task("q08", points=2)
def test_q08_what_more_heads_cost(student):
    """The FLOPs stay, the memory for weights grows with the number of heads: one point each."""
    check(student, "q08")


@task("q09", points=1)
def test_q09_what_true_means_in_a_padding_mask(student):
    """True marks keys that are ignored."""
    check(student, "q09")


@task("q10", points=3)
def test_q10_shapes_in_cross_attention(student):
    """Output, averaged weights and weights per head, one point each; a wrong order earns half."""
    check(student, "q10")


@task("q11", points=2)
def test_q11_what_switching_a_head_off_proves(student):
    """A claim about this model, and an intervention as its reason: one point each."""
    check(student, "q11")


@task("q12", points=2)
def test_q12_four_seeds_and_two_peaks(student):
    """What two standard errors allow to say, and why the error is so large: one point each."""
    check(student, "q12")
