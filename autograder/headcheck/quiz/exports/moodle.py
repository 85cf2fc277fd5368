"""Moodle XML: every question is a category of variants, from which a quiz draws one at random."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from xml.etree import ElementTree as ET

from headcheck.quiz.bank import Bank
from headcheck.quiz.exports.texts import explanation_of, form_of, same_slips
from headcheck.quiz.items import Field, Item, spellings
from headcheck.quiz.kinds import Choice, Choices, Integer, Kind, Number, Shape
from headcheck.quiz.markup import Markup, delimited

MARKUP = Markup(delimited)
SLIP_SPELLINGS = 4
"""So many ways of writing a wrong shape are known; the right one is known in all."""

_MARKS = str.maketrans({"~": "&#126;", "}": "&#125;", "#": "&#35;", "\n": " "})

Answer = tuple[float, str, str]
"""Percent, the answer, what is said about it (HTML)."""


def render(bank: Bank, items: Sequence[Item], language: str) -> bytes:
    """Write the items as Moodle XML.

    Args:
        bank: the bank.
        items: the variants, those of a question side by side.
        language: language code.

    Returns:
        The file.
    """
    quiz = ET.Element("quiz")
    for _id, variants in groupby(items, key=lambda item: item.question.id):
        group = list(variants)
        _category(quiz, bank, group[0])
        for item in group:
            _question(quiz, item)
    ET.indent(quiz)
    return bytes(ET.tostring(quiz, encoding="utf-8", xml_declaration=True)) + b"\n"


def _category(quiz: ET.Element, bank: Bank, item: Item) -> None:
    question = ET.SubElement(quiz, "question", type="category")
    title = item.question.title(item.question.lesson, item.language)
    names = (bank.topic_name(item.question.topic, item.language), f"{item.question.id} {title}")
    path = "/".join(["$course$", "top", *(name.replace("/", "//") for name in names)])
    _text(question, "category", path)


def _question(quiz: ET.Element, item: Item) -> None:
    kinds: dict[type[Kind], tuple[str, Callable[[ET.Element, Field], None]]] = {
        Integer: ("numerical", _numerical),
        Number: ("numerical", _numerical),
        Shape: ("shortanswer", _short_answer),
        Choice: ("multichoice", _multiple_choice),
        Choices: ("multichoice", _multiple_choice),
    }
    single = len(item.fields) == 1
    name, fill = kinds[type(item.fields[0].kind)] if single else ("cloze", None)
    question = ET.SubElement(quiz, "question", type=name)
    _text(question, "name", f"{item.id} {item.title}")
    _html(question, "questiontext", _prompt(item, single))
    _html(question, "generalfeedback", MARKUP.block(explanation_of(item)))
    ET.SubElement(question, "penalty").text = "0.3333333"
    ET.SubElement(question, "hidden").text = "0"
    ET.SubElement(question, "idnumber").text = f"headcheck-{item.language}-{item.id}"
    if fill:
        ET.SubElement(question, "defaultgrade").text = "1"
        fill(question, item.fields[0])
    _html(question, "hint", MARKUP.block(item.hint))
    _text(ET.SubElement(question, "tags"), "tag", item.question.topic)


def _prompt(item: Item, single: bool) -> str:
    blocks = [MARKUP.block(item.prompt)]
    if single:
        field = item.fields[0]
        return "\n".join([*blocks, *([] if field.options else [MARKUP.block(form_of(field))])])
    for number, field in enumerate(item.fields, start=1):
        form = [] if field.options else [MARKUP.block(form_of(field))]
        blocks += [f"<p><b>({number})</b> {MARKUP.line(field.label)}</p>", *form, f"<p>{_gap(field)}</p>"]
    return "\n".join(blocks)


def _numerical(question: ET.Element, field: Field) -> None:
    for percent, text, remark in _typed_answers(field, 1):
        answer = _answer(question, percent, text, remark)
        ET.SubElement(answer, "tolerance").text = _tolerance(field.kind)


def _short_answer(question: ET.Element, field: Field) -> None:
    ET.SubElement(question, "usecase").text = "0"
    for percent, text, remark in _typed_answers(field, SLIP_SPELLINGS):
        _answer(question, percent, text, remark)


def _multiple_choice(question: ET.Element, field: Field) -> None:
    ET.SubElement(question, "single").text = "false" if isinstance(field.kind, Choices) else "true"
    ET.SubElement(question, "shuffleanswers").text = "false"  # the explanation speaks of options by their letters
    ET.SubElement(question, "answernumbering").text = "abc"
    for percent, text, remark in _option_answers(field):
        _answer(question, percent, text, remark, html=True)


def _typed_answers(field: Field, slip_spellings: int) -> list[Answer]:
    """List right and named wrong answers; the same wrong answer of several misconceptions gets all their sentences."""
    numeric = isinstance(field.kind, (Integer, Number))
    right = [(100.0, text, "") for text in spellings(field.kind, field.right)[: 1 if numeric else None]]
    wrong: list[Answer] = []
    for same in same_slips(field):
        texts = spellings(field.kind, same[0].value)[:slip_spellings]
        wrong += [
            (100 * same[0].fraction, text, "".join(MARKUP.block(slip.sentence) for slip in same)) for text in texts
        ]
    return right + wrong


def _option_answers(field: Field) -> list[Answer]:
    holding = sum(field.is_right(option) for option in field.options)
    others = len(field.options) - holding
    several = isinstance(field.kind, Choices)
    shares = {True: 100 / holding, False: -100 / others if several else 0.0}
    return [
        (shares[field.is_right(option)], MARKUP.line(text), MARKUP.block(field.sentence_about(option)))
        for option, text in field.options.items()
    ]


def _gap(field: Field) -> str:
    """Write one part in the notation of Moodle's embedded answers."""
    if isinstance(field.kind, (Choice, Choices)):
        name = "MULTIRESPONSE" if isinstance(field.kind, Choices) else "MULTICHOICE_V"
        letters = [letter for letter, _option, _text in field.lettered]
        answers = [
            (share, f"{letter}) {text}", remark)
            for letter, (share, text, remark) in zip(letters, _option_answers(field), strict=True)
        ]
    elif isinstance(field.kind, Shape):
        name, answers = "SHORTANSWER", _typed_answers(field, SLIP_SPELLINGS)
    else:
        name, tolerance = "NUMERICAL", _tolerance(field.kind)
        answers = [(percent, f"{text}:{tolerance}", remark) for percent, text, remark in _typed_answers(field, 1)]
    return "{1:" + name + ":" + "~".join(map(_alternative, answers)) + "}"


def _alternative(answer: Answer) -> str:
    percent, text, remark = answer
    said = f"#{_without_marks(remark)}" if remark else ""
    return f"%{_percent(percent)}%{_without_marks(text)}{said}"


def _without_marks(html: str) -> str:
    """Write the signs that structure embedded answers as HTML entities, which Moodle decodes."""
    return html.translate(_MARKS)


def _tolerance(kind: Kind) -> str:
    return f"{0.5 * 10**-kind.decimals:g}" if isinstance(kind, Number) else "0"


def _percent(percent: float) -> str:
    return f"{percent:.7g}"


def _answer(question: ET.Element, percent: float, text: str, remark: str, html: bool = False) -> ET.Element:
    shown = "html" if html else "moodle_auto_format"
    answer = ET.SubElement(question, "answer", fraction=_percent(percent), format=shown)
    ET.SubElement(answer, "text").text = text
    if remark:
        _html(answer, "feedback", remark)
    return answer


def _text(parent: ET.Element, name: str, text: str) -> None:
    ET.SubElement(ET.SubElement(parent, name), "text").text = text


def _html(parent: ET.Element, name: str, html: str) -> None:
    ET.SubElement(ET.SubElement(parent, name, format="html"), "text").text = html
