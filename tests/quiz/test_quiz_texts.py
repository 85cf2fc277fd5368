"""The words of questions: filled places, and one clear line when something is missing."""

import dataclasses
import random
import re

import pytest
import yaml
from headcheck.errors import UsageError
from headcheck.quiz.notebook import question_cells
from headcheck.quiz.question import make_bank
from headcheck.quiz.texts import LANGUAGES, Texts

from assignments.quiz.bank import BANK

SIMPLE = {"\\cdot", "\\sqrt", "\\frac", "\\times", "\\pm", "\\mathrm", "\\approx"}
"""Commands that KaTeX, MathJax and the learning platforms all know."""


def texts_of(tmp_path, text):
    file = tmp_path / "q77.yaml"
    file.write_text(text, encoding="utf-8")
    return Texts(file)


def test_places_are_filled_and_doubled_braces_stay(tmp_path):
    texts = texts_of(tmp_path, r"prompt: {en: '$\sqrt{{d_k}} = \sqrt{{{d_k}}}$, h = {h}'}")
    assert texts.say("en", "prompt", values={"d_k": 8, "h": 4}) == r"$\sqrt{d_k} = \sqrt{8}$, h = 4"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("prompt: {en: 'h = {heads}'}", "{heads}"),
        ("prompt: {en: 'a } alone'}", "}"),
        ("prompt: {uz: 'h = {h}'}", "prompt is missing"),
        ("prompt: {en: '  '}", "prompt is missing"),
        ("prompt: plain", "prompt is missing"),
        ("title: {en: x}", "prompt is missing"),
    ],
)
def test_a_text_that_cannot_be_shown_is_one_line_with_file_question_and_language(tmp_path, text, what):
    with pytest.raises(UsageError) as error:
        texts_of(tmp_path, text).say("en", "prompt", values={"h": 4})
    line = str(error.value)
    assert "\n" not in line
    for part in (str(tmp_path / "q77.yaml"), "question q77", "language en", what):
        assert part in line


@pytest.mark.parametrize("text", ["a: [", "- one", "\tx: 1", ""])
def test_a_file_that_is_no_mapping_is_one_line(tmp_path, text):
    with pytest.raises(UsageError) as error:
        texts_of(tmp_path, text).keys()
    assert "q77.yaml" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_missing_file_is_one_line(tmp_path):
    with pytest.raises(UsageError, match=r"q99\.yaml: cannot be read"):
        Texts(tmp_path / "q99.yaml").keys()


def changed(tmp_path, name, **fields):
    """A question whose texts are changed in some fields; None takes a field away."""
    question = BANK[name]
    file = tmp_path / f"{name}.yaml"
    kept = {key: value for key, value in {**question.texts.fields, **fields}.items() if value is not None}
    file.write_text(yaml.safe_dump(kept), encoding="utf-8")
    return dataclasses.replace(question, texts=Texts(file))


def test_a_question_without_a_sentence_for_a_wrong_answer_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"q02\.yaml: question q02, language \w+: the text wrong\.\S+ is missing"):
        changed(tmp_path, "q02", wrong=None).check_texts()


def test_a_question_with_a_sentence_for_no_wrong_answer_is_refused(tmp_path):
    wrong = {**BANK["q02"].texts.fields["wrong"], "misspelt": {"en": "x"}}
    with pytest.raises(UsageError, match=r"wrong\.misspelt"):
        changed(tmp_path, "q02", wrong=wrong).check_texts()


def test_a_question_with_a_text_for_no_option_is_refused(tmp_path):
    options = {**BANK["q09"].texts.fields["options"], "misspelt": {"en": "x"}}
    with pytest.raises(UsageError, match=r"options\.misspelt"):
        changed(tmp_path, "q09", options=options).check_texts()
    options = {"claim": {**BANK["q11"].texts.fields["options"]["claim"], "misspelt": {"en": "x"}}}
    options["reason"] = BANK["q11"].texts.fields["options"]["reason"]
    with pytest.raises(UsageError, match=r"options\.claim\.misspelt"):
        changed(tmp_path, "q11", options=options).check_texts()


def test_a_prompt_cannot_hold_the_answer(tmp_path):
    prompt = dict.fromkeys(LANGUAGES, "It is {answer}.")
    with pytest.raises(UsageError, match=r"\{answer\}"):
        changed(tmp_path, "q01", prompt=prompt).check_texts()


def test_a_notebook_is_not_built_from_a_question_with_a_missing_text(tmp_path):
    with pytest.raises(UsageError, match="q01"):
        question_cells(changed(tmp_path, "q01", hint=None))


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


def told(question, params, language):
    """Everything that is ever shown of one variant."""
    yield from (tell(params, language) for tell in (question.title, question.prompt, question.hint))
    yield question.explanation(params, language)
    yield from (question.part_label(part, params, language) for part in getattr(question.kind, "parts", ()))
    yield from (text for choice in question.choices() for _letter, text in question.options(choice, params, language))
    yield from (question.sentence(wrong, params, language) for wrong in question.wrong)


@pytest.mark.parametrize("question", BANK.values(), ids=BANK)
@pytest.mark.parametrize("language", LANGUAGES)
def test_formulas_and_code_are_written_so_that_every_front_end_can_show_them(question, language):
    for text in told(question, question.draw(random.Random(1)), language):
        prose = re.sub(r"```(python|text)\n.*?\n```", "", text, flags=re.DOTALL)
        assert "```" not in prose
        assert prose.count("`") % 2 == 0
        prose = re.sub(r"`[^`\n]+`", "", prose)
        assert prose.count("$") % 2 == 0
        assert "$$" not in prose
        for formula in prose.split("$")[1::2]:
            assert formula.count("{") == formula.count("}")
            assert set(re.findall(r"\\[a-z]+", formula)) <= SIMPLE
        assert not {"{", "}", "\\"} & set("".join(prose.split("$")[::2]))


@pytest.mark.parametrize("question", BANK.values(), ids=BANK)
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_stands_in_one_line_is_one_line(question, language):
    params = question.lesson
    lines = [question.title(params, language)]
    lines += [text for choice in question.choices() for _letter, text in question.options(choice, params, language)]
    lines += [question.part_label(part, params, language) for part in getattr(question.kind, "parts", ())]
    assert not any("\n" in line for line in lines)
