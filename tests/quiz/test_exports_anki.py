"""The Anki deck holds what the bank holds, and its notes keep their identity."""

import json
import os
import shutil
import sqlite3
import zipfile
from dataclasses import replace
from io import BytesIO

import pytest
from headcheck.quiz import LANGUAGES
from headcheck.quiz.bank import open_bank
from headcheck.quiz.exports import anki, export_items
from headcheck.quiz.items import Item
from headcheck.quiz.markup import Markup, delimited
from headcheck.quiz.texts import Texts

BANK = open_bank()
ITEMS = export_items(BANK, "en", 3)


@pytest.fixture(scope="module")
def decks():
    return BytesIO(anki.render(BANK, ITEMS, "en"))


def notes(package):
    with zipfile.ZipFile(package) as archive:
        content = archive.read("collection.anki2")
    database = sqlite3.connect(":memory:")
    database.deserialize(content)
    rows = database.execute("select guid, flds, tags, mid, mod from notes order by id").fetchall()
    cards = database.execute("select count(*) from cards").fetchone()[0]
    models, decks = database.execute("select models, decks from col").fetchone()
    database.close()
    return rows, cards, json.loads(models), json.loads(decks)


def test_anki_has_a_note_for_each_variant_with_question_answer_and_remarks(decks):
    markup = Markup(delimited)
    rows, cards, models, _decks = notes(decks)
    assert len(rows) == cards == len(ITEMS)
    for (_guid, text, tags, model, _mod), item in zip(rows, ITEMS, strict=True):
        names = [field["name"] for field in models[str(model)]["flds"]]
        fields = dict(zip(names, text.split("\x1f"), strict=True))
        assert fields["Question"].startswith(markup.block(item.prompt))
        assert fields["Explanation"] == markup.block(item.explanation)
        assert set(tags.split()) == {item.question.topic, item.question.id}
        for field in item.fields:
            assert markup.block(field.told) in fields["Answer"]
            for slip in field.slips:
                assert markup.line(slip.sentence) in fields["Slips"]
            for letter, _option, option_text in field.lettered:
                assert f"{letter}) {markup.line(option_text)}" in fields["Question"]


def test_anki_notes_keep_their_identity_when_texts_change(decks, monkeypatch):
    rows, _cards, models, deck_list = notes(decks)
    monkeypatch.setattr(Item, "explanation", "A corrected text.")
    changed, _cards, later_models, later_decks = notes(BytesIO(anki.render(BANK, ITEMS, "en")))
    assert [row[0] for row in changed] == [row[0] for row in rows]
    assert [row[1] for row in changed] != [row[1] for row in rows]
    assert len({row[0] for row in rows}) == len(rows)
    assert (models.keys(), deck_list.keys()) == (later_models.keys(), later_decks.keys())


def test_a_corrected_deck_is_newer_so_that_anki_takes_it_over(decks, tmp_path):
    folder = tmp_path / "bank"
    shutil.copytree(BANK.names.file.parents[1], folder)
    moved = replace(BANK, names=Texts(folder / "text" / "topics.yaml"))
    before = {row[4] for row in notes(decks)[0]}
    assert before == {anki.newest_change(BANK)}
    corrected = folder / "text" / "q20.yaml"
    later = anki.newest_change(BANK) + 100
    os.utime(corrected, (later, later))
    assert {row[4] for row in notes(BytesIO(anki.render(moved, ITEMS, "en")))[0]} == {later}


def test_anki_identities_are_those_of_the_first_release(decks):
    """Whoever has learnt with a deck keeps his schedule: these values may never change."""
    rows, _cards, models, deck_list = notes(decks)
    assert rows[0][0] == r"Kn^s{WUKSC"
    assert "1606120301" in models
    assert "2030611201" in deck_list


def test_every_language_of_the_bank_has_a_deck():
    assert set(LANGUAGES) <= anki.DECK_IDS.keys()


def test_the_languages_have_decks_and_notes_of_their_own(decks, monkeypatch):
    monkeypatch.setattr("headcheck.quiz.texts.Texts.say", lambda self, language, *keys, values: f"{language} {keys}")
    turkish = [Item(item.question, item.params, item.number, "tr") for item in ITEMS]
    theirs, _cards, _models, deck_list = notes(BytesIO(anki.render(BANK, turkish, "tr")))
    assert not {row[0] for row in theirs} & {row[0] for row in notes(decks)[0]}
    assert not (deck_list.keys() & notes(decks)[3].keys()) - {"1"}
