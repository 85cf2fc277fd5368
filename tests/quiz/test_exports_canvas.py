"""The Canvas package holds what the bank holds: its conditions are evaluated, and others read it, too."""

import re
import textwrap
import zipfile
from io import BytesIO
from xml.etree import ElementTree as ET

import pytest
import qti2latex
from headcheck.quiz.bank import open_bank
from headcheck.quiz.exports import export_items, qti
from headcheck.quiz.exports.qti_items import item_type
from headcheck.quiz.items import spellings
from headcheck.quiz.markup import Markup, canvas_image
from text2qti.config import Config
from text2qti.qti import QTI
from text2qti.quiz import Quiz

VARIANTS = 3
BANK = open_bank()
ITEMS = export_items(BANK, "en", VARIANTS)
BY_ID = {item.id: item for item in ITEMS}


@pytest.fixture(scope="module")
def canvas():
    """Name -> content of the files of the QTI package."""
    with zipfile.ZipFile(BytesIO(qti.render(BANK, ITEMS, "en"))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


NS = {"q": qti.QTI, "p": qti.PACKAGE, "c": qti.CANVAS}


def assessment(canvas):
    return ET.fromstring(canvas["headcheck_en/headcheck_en.xml"])


def canvas_items(canvas):
    for node in assessment(canvas).iterfind(".//q:item", NS):
        yield node, BY_ID[node.get("ident").removeprefix("headcheck-en-")]


def test_the_canvas_package_lists_its_files(canvas):
    manifest = ET.fromstring(canvas["imsmanifest.xml"])
    listed = {node.get("href") for node in manifest.iterfind(".//p:file", NS)}
    assert listed == set(canvas) - {"imsmanifest.xml"}
    kinds = [node.get("type") for node in manifest.iterfind(".//p:resource", NS)]
    assert kinds[0] == "imsqti_xmlv1p2"
    meta = ET.fromstring(canvas["headcheck_en/assessment_meta.xml"])
    assert float(meta.findtext("c:points_possible", namespaces=NS)) == len({item.question.id for item in ITEMS})


def test_canvas_draws_one_variant_of_each_question(canvas):
    (top,) = assessment(canvas).iterfind("q:assessment/q:section", NS)
    groups = top.findall("q:section", NS)
    assert [len(group.findall("q:item", NS)) for group in groups] == [VARIANTS] * len(groups)
    assert len(groups) == len({item.question.id for item in ITEMS})
    for group in groups:
        assert group.findtext(".//q:selection_number", namespaces=NS) == "1"
        assert group.findtext(".//q:points_per_item", namespaces=NS) == "1"
        (name,) = {
            BY_ID[node.get("ident").removeprefix("headcheck-en-")].question.id for node in group.findall("q:item", NS)
        }
        assert name in group.get("title")


def holds(condition, given):
    """Evaluate a condition of QTI 1.2; `given` maps a response to the set of what was chosen or typed."""
    tests = [_holds(node, given) for node in condition]
    if all(node.tag.endswith("varequal") for node in condition) and len(tests) > 1:
        return any(tests)  # accepted spellings stand side by side
    return all(tests)


def _holds(node, given):
    name = node.tag.split("}")[1]
    if name in ("and", "or"):
        return {"and": all, "or": any}[name](_holds(child, given) for child in node)
    if name == "not":
        return not _holds(node[0], given)
    if name == "other":
        return True
    answers = given[node.get("respident")]
    if name == "varequal":
        return node.text in answers
    (answer,) = answers
    return float(answer) >= float(node.text) if name == "vargte" else float(answer) <= float(node.text)


def points(node, given):
    """Grade an answer by what the item says, first matching condition that stops included."""
    score, shown = 0.0, []
    for block in node.iterfind("q:resprocessing/q:respcondition", NS):
        if holds(block.find("q:conditionvar", NS), given):
            shown += [each.get("linkrefid") for each in block.iterfind("q:displayfeedback", NS)]
            for variable in block.iterfind("q:setvar", NS):
                score = float(variable.text) + (score if variable.get("action") == "Add" else 0)
            if block.get("continue") == "No":
                break
    return score, shown


def labels(node, response):
    """Ident -> text of what can be chosen (or is accepted) for one response."""
    (holder,) = [each for each in node.iterfind("q:presentation/q:response_lid", NS) if each.get("ident") == response]
    return {
        each.get("ident"): each.findtext(".//q:mattext", namespaces=NS)
        for each in holder.iterfind(".//q:response_label", NS)
    }


def responses(node, item, texts):
    """Put answers, as a person would write them, into the form of an item."""
    kind = item_type(item)
    if kind in ("numerical_question", "short_answer_question"):
        return {"response1": {texts[0]}}
    if kind in ("multiple_choice_question", "multiple_answers_question"):
        return {"response1": set(texts[0].split(", "))}
    given = {}
    for field, text in zip(item.fields, texts, strict=True):
        name = f"response_{field.name}"
        start = f"{text})" if kind == "multiple_dropdowns_question" else text
        found = [ident for ident, shown in labels(node, name).items() if shown.split(" ")[0] == start or shown == text]
        given[name] = set(found) or {"nothing"}
    return given


def test_canvas_gives_all_points_for_the_right_answer(canvas):
    for node, item in canvas_items(canvas):
        score, shown = points(node, responses(node, item, [field.text for field in item.fields]))
        assert score == pytest.approx(100, abs=0.1), item.id
        assert "general_fb" in shown


def test_canvas_gives_no_points_for_a_named_wrong_answer_and_says_what_it_is(canvas):
    markup = Markup(canvas_image)
    for node, item in canvas_items(canvas):
        remarks = {
            each.get("ident"): each.findtext(".//q:mattext", namespaces=NS)
            for each in node.iterfind("q:itemfeedback", NS)
        }
        assert markup.block(item.explanation) in remarks["general_fb"]
        for place, field in enumerate(item.fields):
            for slip in field.slips:
                texts = [each.text for each in item.fields]
                texts[place] = (
                    field.kind.write(field.kind.mistaken(field.right, slip.value)) if field.options else slip.text
                )
                score, shown = points(node, responses(node, item, texts))
                assert score == pytest.approx(100 * (1 - 1 / len(item.fields)), abs=0.1), (item.id, slip)
                said = " ".join(remarks[each] for each in [*shown, f"{slip.text}_fb"] if each in remarks)
                assert markup.line(slip.sentence) in said


def test_canvas_items_have_a_type_and_a_text_with_every_gap(canvas):
    markup = Markup(canvas_image)
    for node, item in canvas_items(canvas):
        fields = {
            each.findtext("q:fieldlabel", namespaces=NS): each.findtext("q:fieldentry", namespaces=NS)
            for each in node.iterfind(".//q:qtimetadatafield", NS)
        }
        assert fields["question_type"] == item_type(item)
        text = node.findtext("q:presentation/q:material/q:mattext", namespaces=NS)
        assert text.startswith(markup.block(item.prompt))
        if len(item.fields) > 1:
            assert [f"[{field.name}]" for field in item.fields] == re.findall(r"\[[a-z_]+\]", text)
        assert "$" not in re.sub(r"<pre>.*?</pre>|<code>.*?</code>", "", text, flags=re.DOTALL)


def test_another_reader_finds_the_same_groups_texts_and_answers(canvas):
    """qti2latex, which was written for the files of Canvas and text2qti."""
    (top,) = qti2latex.childall_anyns(assessment(canvas)[0], "section")
    found = []
    for section in top:
        picked, worth, items = qti2latex.get_group(section)
        assert (picked, worth) == (1, 1)
        found += items
    assert [node.get("ident") for node in found] == [f"headcheck-en-{item.id}" for item in ITEMS]
    markup = Markup(canvas_image)
    for node, item in zip(found, ITEMS, strict=True):
        kind = qti2latex.guess_type(qti2latex.get_qti_metadata(node), node)
        assert kind == item_type(item)
        assert qti2latex.get_item_stem(node).startswith(markup.block(item.prompt))
        field = item.fields[0]
        if kind in ("numerical_question", "short_answer_question"):
            accepted = spellings(field.kind, field.right) if kind == "short_answer_question" else (field.text,)
            assert qti2latex.get_correct_idents(node) == set(accepted)
        elif len(item.fields) == 1:
            texts = [f"{letter}) {markup.line(text)}" for letter, _option, text in field.lettered]
            assert [text for _ident, text in qti2latex.get_choices(node)] == texts


OTHERS = """\
    GROUP
    pick: 1
    points per question: 1

    1. One option
    ... general
    a) wrong
    ... remark
    *b) right

    2. Several options
    ... general
    [*] right
    [ ] wrong
    ... remark

    3. A text
    ... general
    - wrong
    * (2, 3)
    * 2, 3

    4. A number
    ... general
    - wrong
    = 2.5 +- 0.005

    END_GROUP
    """


def structure(root):
    """List which element, with which attributes, stands in which."""
    return {
        (parent.tag.split("}")[1], child.tag.split("}")[1], *sorted(child.keys()))
        for parent in root.iter()
        for child in parent
    }


def test_the_structure_is_the_one_that_text2qti_writes(canvas, tmp_path):
    """Canvas imports its files; for the kinds of questions that it knows, nothing may be built in another way."""
    package = QTI(Quiz(textwrap.dedent(OTHERS), config=Config(), source_name="others")).zip_bytes()
    with zipfile.ZipFile(BytesIO(package)) as archive:
        (name,) = [
            name
            for name in archive.namelist()
            if name.endswith(".xml") and "assessment_t" not in name and "/" in name and "meta" not in name
        ]
        theirs = structure(ET.fromstring(archive.read(name)))
    known = {"multiple_choice_question", "multiple_answers_question", "short_answer_question", "numerical_question"}
    root = assessment(canvas)
    for section in root.iterfind(".//q:section/q:section", NS):
        for node in section.findall("q:item", NS):
            if item_type(BY_ID[node.get("ident").removeprefix("headcheck-en-")]) not in known:
                section.remove(node)
    assert structure(root) - theirs == set()
