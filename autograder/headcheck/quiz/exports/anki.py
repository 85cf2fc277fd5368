"""An Anki deck: one note per variant, with ids that stay, so that importing a second time updates."""

from __future__ import annotations

import html
import io
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from headcheck.i18n import _
from headcheck.quiz.bank import Bank
from headcheck.quiz.exports.archive import zipped
from headcheck.quiz.exports.texts import form_of, reading_of, same_slips
from headcheck.quiz.items import Field, Item
from headcheck.quiz.markup import Markup, delimited

MARKUP = Markup(delimited)
FIELDS = ("Question", "Answer", "Explanation", "Slips", "Read")
MODEL_ID = 1606120301
"""Chosen once. Another list of fields needs another model: Anki cannot change one that people have cards of."""

DECK_IDS = {"en": 2030611201, "tr": 2030611202, "uz": 2030611203}
"""Chosen once."""

_FRONT = "{{Question}}"
_BACK = """{{FrontSide}}<hr id="answer">
<div class="right">{{Answer}}</div>
{{Explanation}}
{{#Slips}}<div class="slips">{{Slips}}</div>{{/Slips}}
<div class="read">{{Read}}</div>"""
_STYLE = """.card { font-family: sans-serif; font-size: 18px; text-align: left; max-width: 40em; margin: auto; }
.right { font-weight: bold; }
.slips, .read { font-size: 80%; opacity: 0.8; }
pre { overflow-x: auto; }"""


def render(bank: Bank, items: Sequence[Item], language: str) -> bytes:
    """Write the items as an Anki package.

    Args:
        bank: the bank.
        items: the variants.
        language: language code.

    Returns:
        The .apkg file.
    """
    import genanki

    model = genanki.Model(
        MODEL_ID,
        "headcheck",
        fields=[{"name": name} for name in FIELDS],
        templates=[{"name": "Card", "qfmt": _FRONT, "afmt": _BACK}],
        css=_STYLE,
    )
    deck = genanki.Deck(DECK_IDS[language], _("Multi-head attention"))
    for item in items:
        deck.add_note(_note(genanki, model, item))
    buffer = io.BytesIO()
    genanki.Package(deck).write_to_file(buffer, timestamp=newest_change(bank))
    with zipfile.ZipFile(buffer) as archive:
        return zipped({name: archive.read(name) for name in archive.namelist()})


def newest_change(bank: Bank) -> float:
    """Tell when the bank or what renders it was changed last.

    The moment stands in the file: the same bank gives the same bytes, and Anki, which keeps the newer of two notes,
    takes over what was corrected since.

    Args:
        bank: the bank.

    Returns:
        Whole seconds since 1970.
    """
    folders = (bank.names.file.parents[1], Path(__file__).parents[1])
    files = [file for folder in folders for file in folder.rglob("*") if file.suffix != ".pyc" and file.is_file()]
    return float(int(max(file.stat().st_mtime for file in files)))


def _note(genanki: Any, model: Any, item: Item) -> Any:
    """Make a note; its identity is the place in the bank, never the text, which may be corrected."""
    fields = [
        "\n".join([MARKUP.block(item.prompt), *map(_asked, item.fields)]),
        "\n".join(map(_answered, item.fields)),
        MARKUP.block(item.explanation),
        _slips(item),
        html.escape(reading_of(item)),
    ]
    guid = genanki.guid_for("headcheck", item.language, item.question.id, item.number)
    return genanki.Note(model=model, fields=fields, guid=guid, tags=[item.question.topic, item.question.id])


def _asked(field: Field) -> str:
    label = f"<p>{MARKUP.line(field.label)}</p>" if field.name else ""
    options = "".join(f"<p>{letter}) {MARKUP.line(text)}</p>" for letter, _option, text in field.lettered)
    return label + (options or MARKUP.block(form_of(field)))


def _answered(field: Field) -> str:
    label = f"<p>{MARKUP.line(field.label)}</p>" if field.name else ""
    return label + MARKUP.block(field.told)


def _slips(item: Item) -> str:
    lines = [
        f"<li>{html.escape(slips[0].text)}: {' '.join(MARKUP.line(slip.sentence) for slip in slips)}</li>"
        for field in item.fields
        for slips in same_slips(field)
    ]
    return f"<ul>{''.join(lines)}</ul>" if lines else ""
