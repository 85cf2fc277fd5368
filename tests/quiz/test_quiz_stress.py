"""The stress test: nothing is found in the bank, and every fault that is planted is found."""

import dataclasses

import pytest
import yaml
from headcheck.quiz import Choice, Choices, Integer, Texts, Wrong
from headcheck.quiz.stress import LARGEST, _options, stress

from assignments.quiz.bank import BANK


def found_in(name, draws=50, **changes):
    return stress({name: dataclasses.replace(BANK[name], **changes)}, draws, seed=1)


def test_nothing_is_found_in_the_bank():
    assert stress(BANK, draws=50, seed=1) == []


def test_the_same_seed_finds_the_same():
    wrong = (*BANK["q20"].wrong, Wrong("mask-ignored", lambda p: 3))
    assert found_in("q20", wrong=wrong) == found_in("q20", wrong=wrong) != []


def test_a_question_that_stops_is_named_and_the_others_go_on():
    broken = dataclasses.replace(BANK["q01"], answer=lambda p: 1 // 0)
    findings = stress({"q01": broken, "q34": dataclasses.replace(BANK["q34"], answer=lambda p: 10**6)}, 5, seed=1)
    assert any(line.startswith("q01: stops with ZeroDivisionError") for line in findings)
    assert any(line.startswith("q34: ") for line in findings)


def test_a_wrong_answer_that_can_be_right_is_found_once():
    findings = found_in("q20", wrong=(*BANK["q20"].wrong, Wrong("mask-ignored", lambda p: p["true"])))
    assert [line for line in findings if "mask-ignored can be right" in line] == [
        "q20: the wrong answer mask-ignored can be right"
    ]


def test_two_right_options_and_equal_options_are_found():
    kind = Choices(("key-axis-last", "mask-missing-axes"))
    question = dataclasses.replace(BANK["q21"], kind=kind, answer=lambda p: kind.options, wrong=())
    assert any("2 options are right" in line for line in _variant_findings(question))
    same = dataclasses.replace(BANK["q21"], kind=Choice(("key-axis-last", "key-axis-last")), wrong=())
    assert any("two options are equal" in line for line in _variant_findings(same))


def _variant_findings(question):
    return list(_options(question, question.lesson))


def test_right_options_that_always_stand_at_one_place_are_found():
    question = BANK["q21"]
    order = {"order": {"": ["key-axis-last", *[key for key in question.kind.options if key != "key-axis-last"]]}}

    class Fixed(type(question)):
        def draw(self, rng):
            return {**self.generate(rng), **order}

    fields = {field.name: getattr(question, field.name) for field in dataclasses.fields(question)}
    findings = stress({"q21": Fixed(**fields)}, 50, seed=1)
    assert any("not spread evenly: 50, 0, 0, 0" in line for line in findings)


def test_large_numbers_are_found():
    findings = found_in("q36", answer=lambda p: LARGEST + 1)
    assert f"q36: an answer is as large as {LARGEST + 1}" in findings


def test_a_bank_that_can_be_guessed_by_length_is_found(tmp_path):
    guessable = {}
    for name in ("q09", "q21", "q33", "q42", "q46"):
        question, file = BANK[name], tmp_path / f"{name}.yaml"
        fields = yaml.safe_load(question.texts.file.read_text(encoding="utf-8"))
        right = fields["options"][question.answer(question.lesson)]
        fields["options"][question.answer(question.lesson)] = {
            key: text + " And more words." for key, text in right.items()
        }
        file.write_text(yaml.safe_dump(fields), encoding="utf-8")
        guessable[name] = dataclasses.replace(question, texts=Texts(file))
    assert any("the longest option is right 5 times in 5" in line for line in stress(guessable, 20, seed=1))


def test_a_missing_text_is_found_with_file_question_and_language(tmp_path):
    file = tmp_path / "q01.yaml"
    file.write_text("title: {en: x}", encoding="utf-8")
    (line,) = [line for line in found_in("q01", texts=Texts(file)) if "missing" in line]
    assert "question q01, language" in line


def test_an_answer_that_is_not_read_back_is_found():
    findings = found_in("q36", kind=Integer(), answer=lambda p: 0.5)
    assert any("graded as malformed" in line for line in findings)


@pytest.mark.parametrize("draws", [0, 1])
def test_few_draws_do_no_harm(draws):
    assert stress({"q21": BANK["q21"]}, draws, seed=1) == []
