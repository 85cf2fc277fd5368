"""Somebody who sits at the terminal: types answers, and knows the right ones."""

from click.testing import CliRunner
from headcheck.cli import main
from headcheck.quiz.bank import open_bank, variant
from headcheck.quiz.items import Item
from headcheck.quiz.progress import Store

BANK = open_bank()
BY_ID = {question.id: question for question in BANK.questions}


def quiz(*arguments, typed=()):
    result = CliRunner().invoke(main, ["quiz", *map(str, arguments)], input="".join(f"{line}\n" for line in typed))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result


def kept():
    return Store().change()


def right(name, number=1):
    """Type the right answer to the person's variant of a question."""
    question = BY_ID[name]
    return [field.text for field in Item(question, variant(question, kept().person, number), number, "en").fields]


def outcomes():
    return [(answer.question, answer.rating, answer.score) for answer in kept().answers]
