"""The bank for other systems: Anki, Moodle, Canvas, paper."""

from __future__ import annotations

import importlib
from pathlib import Path

from headcheck.course.files import write_atomically
from headcheck.errors import UsageError
from headcheck.i18n import _
from headcheck.quiz.bank import Bank, published_variants
from headcheck.quiz.items import Item

WRITERS = {
    "anki": "anki.render",
    "moodle": "moodle.render",
    "qti": "qti.render",
    "print": "printed.render",
    "print-answers": "printed.render_with_answers",
}
"""Format -> function of this package, called with bank, items and language; it returns the bytes of the file."""


def export_items(bank: Bank, language: str, variants: int, graded: bool = False) -> list[Item]:
    """Lay out the variants that are given away.

    Args:
        bank: the bank.
        language: language code.
        variants: how many of each question, as far as it has so many.
        graded: also those that tell answers of the graded notebook.

    Returns:
        The items, in the order of the bank; a question that is graded and whose numbers do not matter has none.
    """
    shown = Bank(bank.questions, frozenset(), bank.names) if graded else bank
    return [
        Item(question, params, number, language)
        for question in bank.questions
        for number, params in enumerate(published_variants(shown, question, variants), start=1)
    ]


def write(kind: str, bank: Bank, path: Path, language: str, variants: int, graded: bool) -> str:
    """Write the bank in one format.

    Args:
        kind: a key of `WRITERS`.
        bank: the bank.
        path: the file; it is replaced at once when it is complete.
        language: language code.
        variants: how many variants of each question.
        graded: also those that tell answers of the graded notebook.

    Returns:
        What was written, in a sentence or two.

    Raises:
        UsageError: the file cannot be written.
    """
    items = export_items(bank, language, variants, graded)
    module, function = WRITERS[kind].split(".")
    render = getattr(importlib.import_module(f"{__name__}.{module}"), function)
    content: bytes = render(bank, items, language)
    try:
        write_atomically(path, content)
    except (OSError, ValueError) as error:  # ValueError: no file can have such a name
        reason = getattr(error, "strerror", None) or error
        raise UsageError(_("{file}: cannot be written ({reason})").format(file=path, reason=reason)) from error
    return _report(bank, items, path)


def _report(bank: Bank, items: list[Item], path: Path) -> str:
    written = {item.question.id for item in items}
    report = _("{file}: {questions} questions, {variants} variants.").format(
        file=path, questions=len(written), variants=len(items)
    )
    if missing := [question.id for question in bank.questions if question.id not in written]:
        report += " " + _("Left out, because that would tell answers of the graded quiz: {ids}.").format(
            ids=", ".join(missing)
        )
    return report
