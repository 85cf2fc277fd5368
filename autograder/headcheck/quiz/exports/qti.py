"""Canvas Classic QTI 1.2 in a zip file: every question is a group of variants, from which Canvas draws one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from xml.etree import ElementTree as ET

from headcheck.i18n import _
from headcheck.quiz.bank import Bank
from headcheck.quiz.exports.archive import zipped
from headcheck.quiz.exports.qti_items import add_item
from headcheck.quiz.items import Item

QTI = "http://www.imsglobal.org/xsd/ims_qtiasiv1p2"
CANVAS = "http://canvas.instructure.com/xsd/cccv1p0"
PACKAGE = "http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1"


def render(bank: Bank, items: Sequence[Item], language: str) -> bytes:
    """Write the items as a QTI package.

    Args:
        bank: the bank.
        items: the variants, those of a question side by side.
        language: language code.

    Returns:
        The zip file.
    """
    name, title = f"headcheck_{language}", _("Multi-head attention: practice questions")
    groups = [list(variants) for _id, variants in groupby(items, key=lambda item: item.question.id)]
    return zipped(
        {
            "imsmanifest.xml": _manifest(name),
            f"{name}/assessment_meta.xml": _meta(name, title, len(groups)),
            f"{name}/{name}.xml": _assessment(name, title, groups),
        }
    )


def _assessment(name: str, title: str, groups: Sequence[Sequence[Item]]) -> bytes:
    root = ET.Element("questestinterop", xmlns=QTI)
    assessment = ET.SubElement(root, "assessment", ident=name, title=title)
    top = ET.SubElement(assessment, "section", ident="root_section")
    for group in groups:
        question, language = group[0].question, group[0].language
        label = f"{question.id} {question.title(question.lesson, language)}"
        section = ET.SubElement(top, "section", ident=f"{name}_{question.id}", title=label)
        selection = ET.SubElement(ET.SubElement(section, "selection_ordering"), "selection")
        ET.SubElement(selection, "selection_number").text = "1"
        extension = ET.SubElement(selection, "selection_extension")
        ET.SubElement(extension, "points_per_item").text = "1"
        for item in group:
            add_item(section, item)
    return _bytes(root)


def _meta(name: str, title: str, points: int) -> bytes:
    quiz = ET.Element("quiz", identifier=name, xmlns=CANVAS)
    settings = {
        "title": title,
        "description": "",
        "shuffle_answers": "false",
        "scoring_policy": "keep_highest",
        "quiz_type": "practice_quiz",
        "points_possible": f"{points:.1f}",
        "show_correct_answers": "true",
        "allowed_attempts": "-1",
        "one_question_at_a_time": "false",
        "available": "false",
    }
    for setting, value in settings.items():
        ET.SubElement(quiz, setting).text = value
    return _bytes(quiz)


def _manifest(name: str) -> bytes:
    manifest = ET.Element("manifest", identifier=f"{name}_manifest", xmlns=PACKAGE)
    metadata = ET.SubElement(manifest, "metadata")
    ET.SubElement(metadata, "schema").text = "IMS Content"
    ET.SubElement(metadata, "schemaversion").text = "1.1.3"
    ET.SubElement(manifest, "organizations")
    resources = ET.SubElement(manifest, "resources")
    quiz = ET.SubElement(resources, "resource", identifier=name, type="imsqti_xmlv1p2")
    ET.SubElement(quiz, "file", href=f"{name}/{name}.xml")
    ET.SubElement(quiz, "dependency", identifierref=f"{name}_meta")
    meta = ET.SubElement(
        resources,
        "resource",
        identifier=f"{name}_meta",
        type="associatedcontent/imscc_xmlv1p1/learning-application-resource",
        href=f"{name}/assessment_meta.xml",
    )
    ET.SubElement(meta, "file", href=f"{name}/assessment_meta.xml")
    return _bytes(manifest)


def _bytes(root: ET.Element) -> bytes:
    ET.indent(root)
    return bytes(ET.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"
