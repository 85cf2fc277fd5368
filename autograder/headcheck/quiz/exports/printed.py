"""A page to print: the questions, and the answers on pages of their own when they are wanted."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from itertools import groupby

from jinja2 import Environment, select_autoescape
from markupsafe import Markup as Safe

from headcheck.i18n import _
from headcheck.quiz.bank import Bank
from headcheck.quiz.exports.texts import form_of, reading_of, same_slips
from headcheck.quiz.items import Item
from headcheck.quiz.markup import Markup, mathml


def render(bank: Bank, items: Sequence[Item], language: str) -> bytes:
    """Write the items as an HTML page, without answers.

    Args:
        bank: the bank.
        items: the variants.
        language: language code.

    Returns:
        The page; it needs no other file, and no network.
    """
    return _page(bank, items, language, answers=False)


def render_with_answers(bank: Bank, items: Sequence[Item], language: str) -> bytes:
    """Write the same page with answers, working and named wrong answers behind the questions."""
    return _page(bank, items, language, answers=True)


def _page(bank: Bank, items: Sequence[Item], language: str, answers: bool) -> bytes:
    markup = Markup(mathml)
    environment = Environment(autoescape=select_autoescape(default=True), trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {
        "block": lambda text: Safe(markup.block(text)),
        "line": lambda text: Safe(markup.line(text)),
    }
    environment.globals |= {"_": _, "form_of": form_of, "reading_of": reading_of, "same_slips": same_slips}
    template = environment.from_string(files(__package__).joinpath("printed.html.j2").read_text(encoding="utf-8"))
    topics = [
        (bank.topic_name(topic, language), list(group))
        for topic, group in groupby(_by_topic(bank, items), key=lambda item: item.question.topic)
    ]
    return template.render(language=language, topics=topics, answers=answers).encode("utf-8")


def _by_topic(bank: Bank, items: Sequence[Item]) -> list[Item]:
    return sorted(items, key=lambda item: bank.topics.index(item.question.topic))
