"""The translations: complete where they must be, with the English formulas and places, in the glossary's words."""

import re
import runpy
from pathlib import Path

import pytest
import yaml
from headcheck.quiz.bank import open_bank
from headcheck.quiz.site.strings import STRINGS, strings
from headcheck.quiz.texts import LANGUAGES, Texts

ROOT = Path(__file__).resolve().parents[2]
CATALOGS = runpy.run_path(str(ROOT / "locale" / "catalogs.py"))
GLOSSARY = yaml.safe_load((ROOT / "locale" / "glossary.yaml").read_text(encoding="utf-8"))
TRANSLATIONS = [language for language in LANGUAGES if language != "en"]

FIXED = re.compile(r"```.*?```|`[^`]*`|\$[^$]*\$|\{\w*\}", re.DOTALL)
TERMS = (
    "head",
    "query",
    "key",
    "value",
    "mask",
    "padding",
    "seed",
    "weights",
    "batch",
    "token",
    "projection",
    "gradient",
    "softmax",
    "parameter",
    "module",
    "shape",
    "axis",
    "layer",
    "matrix",
    "target",
    "sequence",
    "dropout",
    "training",
)
"""Words with one meaning; `run`, `share` and `mean` are also everyday words."""

FOLLOWED = 0.95
"""Share of the texts that must use the glossary's word; a translator may well turn a sentence around."""


def leaves(fields):
    for field in fields.values():
        if isinstance(field, dict) and isinstance(field.get("en"), str):
            yield field
        elif isinstance(field, dict):
            yield from leaves(field)


@pytest.fixture(scope="module")
def bank_texts():
    return [text for question in open_bank().questions for text in leaves(question.texts.fields)]


def lowered(text, language):
    text = FIXED.sub(" ", text)
    return (text.replace("İ", "i").replace("I", "ı") if language == "tr" else text).lower()


@pytest.mark.parametrize("language", TRANSLATIONS)
@pytest.mark.parametrize("term", TERMS)
def test_a_translation_follows_the_glossary(bank_texts, term, language):
    stems = [stem.lower() for stem in GLOSSARY[term][language]["stems"]]
    asked = [text[language] for text in bank_texts if re.search(rf"\b{term}(s|es)?\b", lowered(text["en"], "en"))]
    followed = [text for text in asked if any(stem in lowered(text, language) for stem in stems)]
    assert len(followed) >= FOLLOWED * len(asked) - 1, set(asked) - set(followed)


def test_uzbek_is_written_with_its_own_letters(bank_texts):
    words = " ".join(FIXED.sub(" ", text["uz"]) for text in bank_texts)
    assert re.findall(r"\w*[A-Za-z]['’‘`´]\w*", words) == []
    assert "ʻ" in words
    assert "ʼ" in words


def test_texts_without_a_native_reader_are_marked(bank_texts):
    for question in open_bank().questions:
        assert [language for language in LANGUAGES if question.texts.unchecked(language)] in (
            [],
            ["tr"],
            ["uz"],
            TRANSLATIONS,
        )
        assert not question.texts.unchecked("en")


def test_a_text_without_its_formula_in_one_language_is_refused(tmp_path):
    file = tmp_path / "q01.yaml"
    file.write_text("title: {en: 'a $x$', tr: 'a $x$', uz: 'a $y$'}\n", encoding="utf-8")
    with pytest.raises(Exception, match=r"q01.*language uz.*title.*\$x\$"):
        Texts(file).check_translations()


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_the_catalog_is_up_to_date(language):
    for path, content in CATALOGS["updated"](language, CATALOGS["messages"]()).items():
        assert path.read_bytes() == content, f"{path} is stale; run `make locale`"


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_a_translated_message_keeps_its_places(language):
    for message in CATALOGS["read"](language):
        if message.id and message.string:
            assert sorted(re.findall(r"\{\w*\}", message.string)) == sorted(re.findall(r"\{\w*\}", message.id)), (
                message.id
            )


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_whoever_practises_reads_no_english_message(language):
    found = CATALOGS["extract_from_dir"](
        ROOT, [("autograder/headcheck/quiz/**.py", "python")], keywords=CATALOGS["KEYWORDS"]
    )
    catalog = CATALOGS["read"](language)
    missing = {message for _file, _line, message, *_rest in found if not catalog[message].string}
    assert missing == set()
    english = strings("en")
    assert [name for name in STRINGS if strings(language)[name] == english[name] and " " in english[name]] == []
