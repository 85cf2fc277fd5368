"""The words of questions: filled places, and one clear line when something is missing."""

import dataclasses

import pytest
from headcheck.errors import UsageError
from headcheck.quiz.question import make_bank
from headcheck.quiz.texts import LANGUAGES, Texts

from assignments.quiz.bank import BANK

FILE = "text/q77.yaml"


def texts_of(tmp_path, yaml):
    file = tmp_path / "q77.yaml"
    file.write_text(yaml, encoding="utf-8")
    return Texts.load(file)


def test_places_are_filled_and_doubled_braces_stay(tmp_path):
    texts = texts_of(tmp_path, r"prompt: {en: '$\sqrt{{d_k}} = \sqrt{{{d_k}}}$, h = {h}'}")
    assert texts.say("en", "prompt", values={"d_k": 8, "h": 4}) == r"$\sqrt{d_k} = \sqrt{8}$, h = 4"


@pytest.mark.parametrize(
    ("yaml", "what"),
    [
        ("prompt: {en: 'h = {heads}'}", "{heads}"),
        ("prompt: {en: 'a } alone'}", "}"),
        ("prompt: {uz: 'h = {h}'}", "prompt is missing"),
        ("prompt: {en: '  '}", "prompt is missing"),
        ("prompt: plain", "prompt is missing"),
        ("title: {en: x}", "prompt is missing"),
    ],
)
def test_a_text_that_cannot_be_shown_is_one_line_with_file_question_and_language(tmp_path, yaml, what):
    with pytest.raises(UsageError) as error:
        texts_of(tmp_path, yaml).say("en", "prompt", values={"h": 4})
    line = str(error.value)
    assert "\n" not in line
    for part in (str(tmp_path / "q77.yaml"), "question q77", "language en", what):
        assert part in line


@pytest.mark.parametrize("yaml", ["a: [", "- one", "\tx: 1", ""])
def test_a_file_that_is_no_mapping_is_one_line(tmp_path, yaml):
    with pytest.raises(UsageError) as error:
        texts_of(tmp_path, yaml)
    assert "q77.yaml" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_missing_file_is_one_line(tmp_path):
    with pytest.raises(UsageError, match=r"q99\.yaml: cannot be read"):
        Texts.load(tmp_path / "q99.yaml")


def test_a_bank_with_a_missing_sentence_for_a_wrong_answer_is_refused():
    question = BANK["q02"]
    fields = {**question.texts.fields, "wrong": {}}
    with pytest.raises(UsageError, match=r"q02\.yaml: question q02, language en: the text wrong\.\S+ is missing"):
        make_bank(dataclasses.replace(question, texts=Texts(question.texts.file, fields)))


def test_a_bank_with_a_sentence_for_no_wrong_answer_is_refused():
    question = BANK["q02"]
    wrong = {**question.texts.fields["wrong"], "misspelt": {"en": "x"}}
    texts = Texts(question.texts.file, {**question.texts.fields, "wrong": wrong})
    with pytest.raises(UsageError, match=r"wrong\.misspelt"):
        make_bank(dataclasses.replace(question, texts=texts))


def test_a_prompt_cannot_hold_the_answer():
    question = BANK["q01"]
    texts = Texts(question.texts.file, {**question.texts.fields, "prompt": {"en": "It is {answer}."}})
    with pytest.raises(UsageError, match=r"\{answer\}"):
        make_bank(dataclasses.replace(question, texts=texts))


def test_a_bank_with_one_id_twice_is_refused():
    with pytest.raises(UsageError, match="q01"):
        make_bank(BANK["q01"], BANK["q01"])


@pytest.mark.parametrize("question", BANK.values(), ids=BANK)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_of_the_bank_exists_without_open_places(question, language):
    question.check_texts()
    shown = [tell(question.lesson, language) for tell in (question.prompt, question.hint, question.explanation)]
    shown += [question.sentence(wrong, question.lesson, language) for wrong in question.wrong]
    assert all(text and "{{" not in text for text in shown)
