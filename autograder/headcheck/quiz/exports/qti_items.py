"""One question as an item of Canvas Classic QTI 1.2."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree import ElementTree as ET

from headcheck.quiz.exports.texts import explanation_of, form_of, same_slips
from headcheck.quiz.items import Field, Item, spellings
from headcheck.quiz.kinds import Choice, Choices, Number, Shape
from headcheck.quiz.markup import Markup, canvas_image
from headcheck.quiz.terminal.text import readable

MARKUP = Markup(canvas_image)


def add_item(section: ET.Element, item: Item) -> None:
    """Add one variant to a group.

    Args:
        section: the group.
        item: the variant.
    """
    node = ET.SubElement(section, "item", ident=f"headcheck-{item.language}-{item.id}", title=f"{item.id} {item.title}")
    kind = item_type(item)
    _metadata(node, item, kind)
    presentation = ET.SubElement(node, "presentation")
    _material(presentation, _prompt(item, kind))
    processing = ET.SubElement(node, "resprocessing")
    ET.SubElement(
        ET.SubElement(processing, "outcomes"),
        "decvar",
        maxvalue="100",
        minvalue="0",
        varname="SCORE",
        vartype="Decimal",
    )
    _when_other(processing, "general_fb")
    single, closed = len(item.fields) == 1, bool(item.fields[0].options)
    if not single:
        for field in item.fields:
            _part(presentation, processing, field, kind, 100 / len(item.fields))
    elif closed:
        _choice(presentation, processing, item.fields[0])
    else:
        _typed(presentation, processing, item.fields[0])
    if not (single and closed):
        _when_other(processing, "general_incorrect_fb")
    _feedback(node, "general_fb", MARKUP.block(explanation_of(item)))
    if single and closed:
        _option_feedback(node, item.fields[0])
    else:
        _feedback(node, "general_incorrect_fb", _about_slips(item.fields))


def item_type(item: Item) -> str:
    """Return what Canvas calls a question of this kind.

    Args:
        item: a variant.

    Returns:
        The name of the type, such as `multiple_choice_question`.
    """
    kinds = [field.kind for field in item.fields]
    if len(kinds) > 1:
        closed = all(isinstance(kind, Choice) for kind in kinds)
        return "multiple_dropdowns_question" if closed else "fill_in_multiple_blanks_question"
    if isinstance(kinds[0], Choice):
        return "multiple_choice_question"
    if isinstance(kinds[0], Choices):
        return "multiple_answers_question"
    return "short_answer_question" if isinstance(kinds[0], Shape) else "numerical_question"


def _metadata(node: ET.Element, item: Item, kind: str) -> None:
    holder = ET.SubElement(ET.SubElement(node, "itemmetadata"), "qtimetadata")
    answers = [f"{field.name}{letter}" for field in item.fields for letter, _option, _text in field.lettered]
    entries = {
        "question_type": kind,
        "points_possible": "1",
        "original_answer_ids": ",".join(answers),
        "assessment_question_identifierref": f"headcheck-{item.language}-{item.id}-question",
    }
    for label, entry in entries.items():
        holder_field = ET.SubElement(holder, "qtimetadatafield")
        ET.SubElement(holder_field, "fieldlabel").text = label
        ET.SubElement(holder_field, "fieldentry").text = entry


def _prompt(item: Item, kind: str) -> str:
    blocks = [MARKUP.block(item.prompt)]
    if len(item.fields) == 1:
        return "\n".join([*blocks, *([] if item.fields[0].options else [MARKUP.block(form_of(item.fields[0]))])])
    for number, field in enumerate(item.fields, start=1):
        blocks.append(f"<p><b>({number})</b> {MARKUP.line(field.label)}</p>")
        if kind == "fill_in_multiple_blanks_question":
            blocks += [f"<p>{letter}) {MARKUP.line(text)}</p>" for letter, _option, text in field.lettered]
            blocks.append(MARKUP.block(form_of(field)))
        blocks.append(f"<p>[{field.name}]</p>")
    return "\n".join(blocks)


def _choice(presentation: ET.Element, processing: ET.Element, field: Field) -> None:
    several = isinstance(field.kind, Choices)
    response = ET.SubElement(
        presentation, "response_lid", ident="response1", rcardinality="Multiple" if several else "Single"
    )
    choices = ET.SubElement(response, "render_choice")
    for letter, option, text in field.lettered:
        _material(ET.SubElement(choices, "response_label", ident=letter), f"{letter}) {MARKUP.line(text)}")
        if field.sentence_about(option):
            _equal(_condition(processing, "Yes"), "response1", letter)
            _display(processing, f"{letter}_fb")
    condition = _condition(processing, "No")
    tests = ET.SubElement(condition, "and") if several else condition
    for letter, option, _text in field.lettered:
        if field.is_right(option):
            _equal(tests, "response1", letter)
        elif several:
            _equal(ET.SubElement(tests, "not"), "response1", letter)
    _score(processing, "Set", 100)


def _typed(presentation: ET.Element, processing: ET.Element, field: Field) -> None:
    response = ET.SubElement(presentation, "response_str", ident="response1", rcardinality="Single")
    numeric = not isinstance(field.kind, Shape)
    blank = ET.SubElement(response, "render_fib", {"fibtype": "Decimal"} if numeric else {})
    ET.SubElement(blank, "response_label", ident="answer1", rshuffle="No")
    condition = _condition(processing, "No")
    tests = ET.SubElement(condition, "or") if numeric else condition
    if numeric:
        room = 0.5 * 10**-field.kind.decimals if isinstance(field.kind, Number) else 0
        _equal(tests, "response1", field.text)
        between = ET.SubElement(tests, "and")
        ET.SubElement(between, "vargte", respident="response1").text = f"{field.right - room:.10g}"
        ET.SubElement(between, "varlte", respident="response1").text = f"{field.right + room:.10g}"
    else:
        for text in spellings(field.kind, field.right):
            _equal(tests, "response1", text)
    _score(processing, "Set", 100)


def _part(presentation: ET.Element, processing: ET.Element, field: Field, kind: str, points: float) -> None:
    """Add a part: a menu with all options, or a gap with all accepted texts."""
    name = f"response_{field.name}"
    response = ET.SubElement(presentation, "response_lid", ident=name)
    _material(response, field.name, "text/plain")
    choices = ET.SubElement(response, "render_choice")
    if kind == "multiple_dropdowns_question":
        answers = {
            f"{field.name}_{letter}": f"{letter}) {_menu_text(text)}" for letter, _option, text in field.lettered
        }
        right = [f"{field.name}_{field.text}"]
    else:
        answers = {f"{field.name}_{number}": text for number, text in enumerate(_accepted(field), start=1)}
        right = list(answers)
    for ident, text in answers.items():
        _material(ET.SubElement(choices, "response_label", ident=ident), text, "text/plain")
    condition = _condition(processing, "Yes")
    for ident in right:
        _equal(condition, name, ident)
    _score(processing, "Add", points)


def _accepted(field: Field) -> tuple[str, ...]:
    if isinstance(field.kind, Choices):
        return (field.text, field.text.replace(" ", ""), field.text.replace(", ", ""))
    return (field.text,) if field.options else spellings(field.kind, field.right)


def _menu_text(markdown: str) -> str:
    """Write an option for a menu, which shows plain text only."""
    return " ".join(readable(markdown).replace("`", "").replace("**", "").split())


def _about_slips(fields: Iterable[Field]) -> str:
    """Tell what each named wrong answer comes from; Canvas has no remark of its own for a typed wrong answer."""
    lines = []
    for number, field in enumerate(fields, start=1):
        part = f"({number}) " if field.name else ""
        for slips in same_slips(field):
            told = " ".join(MARKUP.line(slip.sentence) for slip in slips)
            lines.append(f"<li>{part}<b>{slips[0].text}</b>: {told}</li>")
    return f"<ul>{''.join(lines)}</ul>"


def _option_feedback(node: ET.Element, field: Field) -> None:
    for letter, option, _text in field.lettered:
        if sentence := field.sentence_about(option):
            _feedback(node, f"{letter}_fb", MARKUP.block(sentence))


def _material(parent: ET.Element, text: str, kind: str = "text/html") -> None:
    ET.SubElement(ET.SubElement(parent, "material"), "mattext", texttype=kind).text = text


def _condition(processing: ET.Element, proceed: str) -> ET.Element:
    return ET.SubElement(ET.SubElement(processing, "respcondition", {"continue": proceed}), "conditionvar")


def _equal(tests: ET.Element, response: str, value: str) -> None:
    ET.SubElement(tests, "varequal", respident=response).text = value


def _score(processing: ET.Element, action: str, points: float) -> None:
    """Give points when the latest condition holds."""
    ET.SubElement(processing[-1], "setvar", action=action, varname="SCORE").text = f"{points:.4g}"


def _display(processing: ET.Element, feedback: str) -> None:
    """Show a remark when the latest condition holds."""
    ET.SubElement(processing[-1], "displayfeedback", feedbacktype="Response", linkrefid=feedback)


def _when_other(processing: ET.Element, feedback: str) -> None:
    ET.SubElement(_condition(processing, "Yes"), "other")
    _display(processing, feedback)


def _feedback(node: ET.Element, ident: str, text: str) -> None:
    holder = ET.SubElement(ET.SubElement(node, "itemfeedback", ident=ident), "flow_mat")
    _material(holder, text)
