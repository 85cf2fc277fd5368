"""Moodle XML holds what the bank holds: it is read back and compared, question by question."""

import html
import re
from xml.etree import ElementTree as ET

import pytest
from headcheck.quiz import Choice, Choices, Integer, Number, Shape
from headcheck.quiz.bank import open_bank
from headcheck.quiz.exports import export_items, moodle
from headcheck.quiz.markup import Markup, delimited

BANK = open_bank()
ITEMS = export_items(BANK, "en", 3)
BY_ID = {item.id: item for item in ITEMS}


@pytest.fixture(scope="module")
def moodle_questions():
    return ET.fromstring(moodle.render(BANK, ITEMS, "en")).findall("question")


def inner(node, path):
    return node.findtext(f"{path}/text")


def moodle_item(question):
    return BY_ID[question.findtext("idnumber").removeprefix("headcheck-en-")]


def asked(moodle_questions, *kinds):
    return [(question, moodle_item(question)) for question in moodle_questions if question.get("type") in kinds]


def test_moodle_has_a_category_for_each_question_with_its_variants(moodle_questions):
    groups, found = [], []
    for question in moodle_questions:
        if question.get("type") == "category":
            groups.append(inner(question, "category"))
            continue
        found.append(moodle_item(question).id)
        assert moodle_item(question).question.id in groups[-1].split("/")[-1]
        assert BANK.topic_name(moodle_item(question).question.topic, "en") in groups[-1].replace("//", "/")
    assert found == [item.id for item in ITEMS]
    assert len(groups) == len({item.question.id for item in ITEMS})
    assert len(set(groups)) == len(groups)


def test_moodle_questions_have_text_explanation_hint_and_topic(moodle_questions):
    markup = Markup(delimited)
    for question, item in asked(moodle_questions, "numerical", "shortanswer", "multichoice", "cloze"):
        assert inner(question, "questiontext").startswith(markup.block(item.prompt))
        assert markup.block(item.explanation) in inner(question, "generalfeedback")
        assert item.question.read.title in html.unescape(inner(question, "generalfeedback"))
        assert inner(question, "hint") == markup.block(item.hint)
        assert inner(question, "tags/tag") == item.question.topic
        assert item.title in inner(question, "name")


def test_moodle_accepts_right_typed_answers_and_names_wrong_ones(moodle_questions):
    markup = Markup(delimited)
    for question, item in asked(moodle_questions, "numerical", "shortanswer"):
        (field,) = item.fields
        given = {
            inner_text(node): (float(node.get("fraction")), inner(node, "feedback"))
            for node in question.findall("answer")
        }
        assert given[field.text][0] == 100
        for text, (percent, _remark) in given.items():
            assert field.kind.judge(field.right, field.kind.parse(text)).fraction == percent / 100
        for slip in field.slips:
            assert markup.block(slip.sentence) in given[slip.text][1]


def inner_text(answer):
    return answer.findtext("text")


def test_moodle_numbers_have_the_tolerance_of_the_bank(moodle_questions):
    for question, item in asked(moodle_questions, "numerical"):
        for node in question.findall("answer"):
            room, value = float(node.findtext("tolerance")), float(inner_text(node))
            kind, decimals = item.fields[0].kind, getattr(item.fields[0].kind, "decimals", None)
            assert room == (0 if decimals is None else 0.5 * 10**-decimals)
            assert kind.judge(value, value + room).fraction == 1


def test_moodle_choices_carry_their_remarks_and_right_shares(moodle_questions):
    markup = Markup(delimited)
    for question, item in asked(moodle_questions, "multichoice"):
        (field,) = item.fields
        nodes = question.findall("answer")
        assert question.findtext("single") == ("false" if isinstance(field.kind, Choices) else "true")
        assert question.findtext("shuffleanswers") == "false", "explanations speak of options by their letters"
        assert [inner_text(node) for node in nodes] == [markup.line(text) for text in field.options.values()]
        for node, option in zip(nodes, field.options, strict=True):
            assert (float(node.get("fraction")) > 0) == field.is_right(option)
            assert (inner(node, "feedback") or "") == markup.block(field.sentence_about(option))
        assert sum(max(0, float(node.get("fraction"))) for node in nodes) == pytest.approx(100, abs=1e-4)


# The grammar of Moodle's embedded answers: `{1:KIND:%share%answer#remark~...}`, written anew from its documentation.
GAP = re.compile(r"\{1:([A-Z_]+):((?:[^}~]|(?<=\\)[}~])+(?:~[^}~]+)*)\}")
ALTERNATIVE = re.compile(r"%(-?[0-9.]+)%((?:[^#]|(?<=&)#)+?)(?:(?<!&)#(.*))?", re.DOTALL)


def gaps(text):
    for kind, alternatives in GAP.findall(text):
        yield kind, [ALTERNATIVE.fullmatch(each).groups() for each in alternatives.split("~")]


def test_moodle_embedded_answers_hold_every_part(moodle_questions):
    markup = Markup(delimited)
    names = {
        Integer: "NUMERICAL",
        Number: "NUMERICAL",
        Shape: "SHORTANSWER",
        Choice: "MULTICHOICE_V",
        Choices: "MULTIRESPONSE",
    }
    seen = 0
    for question, item in asked(moodle_questions, "cloze"):
        found = list(gaps(inner(question, "questiontext")))
        assert [kind for kind, _answers in found] == [names[type(field.kind)] for field in item.fields], item.id
        for field, (_kind, answers) in zip(item.fields, found, strict=True):
            seen += 1
            told = {
                html.unescape(text).split(":")[0] if not field.options else html.unescape(text): (
                    float(share),
                    html.unescape(remark or ""),
                )
                for share, text, remark in answers
            }
            for letter, option, text in field.lettered:
                share, remark = told[f"{letter}) {html.unescape(markup.line(text))}"]
                assert (share > 0) == field.is_right(option)
                assert remark == html.unescape(markup.block(field.sentence_about(option))).replace("\n", " ")
            if not field.options:
                assert told[field.text][0] == 100
                for slip in field.slips:
                    assert html.unescape(markup.block(slip.sentence)).replace("\n", " ") in told[slip.text][1]
                    assert told[slip.text][0] == 100 * slip.fraction
    assert seen > 20
