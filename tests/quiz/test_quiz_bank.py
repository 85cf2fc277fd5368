"""The bank: its keys against the lesson, its named wrong answers, its ties to course and mistakes."""

import json
import math
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from headcheck.quiz import LANGUAGES, PRACTICE_SECRET, Choice, Choices, grade, misconceptions, variant_seed
from headcheck.quiz.kinds import Parts

from assignments.quiz.bank import BANK, LESSON, TOPICS
from solutions.mistakes import BANK as MISTAKES

ROOT = Path(__file__).resolve().parents[2]
DRAWS = 20
CODE_ASSIGNMENTS = ("bug_hunt", "from_scratch", "torch_module")

LESSON_KEYS = {
    "q01": 8,
    "q02": (4, 8, 10, 8),
    "q03": (4, 8, 10, 10),
    "q04": (16640, 16640),
    "q05": (192, 64),
    "q06": ((4, 10, 10), "mean-over-heads"),
    "q07": math.sqrt(8),
    "q08": (1, 8),
    "q09": "ignored-as-key",
    "q10": ((2, 5, 64), (2, 5, 9), (2, 8, 5, 9)),
    "q11": ("head-needed", "only-head-changed"),
    "q12": ("not-shown", "two-peaks"),
}

SEEDS = (14273487416752349546, 2416465835791609036)
SIZES = {"B": 11, "n": 6, "h": 8, "d_model": 128}
"""Fixed for good: whoever changes them asks everybody something else than before."""

questions = pytest.mark.parametrize("question", BANK.values(), ids=BANK)


def variants(question, count=DRAWS):
    rng = random.Random(question.id)
    return [question.lesson, *(question.draw(rng) for _draw in range(count))]


def test_the_keys_are_the_lessons():
    assert {name: question.answer(question.lesson) for name, question in LESSON.items()} == LESSON_KEYS


def test_the_bank_begins_with_the_lessons_twelve_questions_and_holds_at_least_forty():
    assert list(BANK) == [f"q{number:02}" for number in range(1, len(BANK) + 1)]
    assert [question.id for question in BANK.values()] == list(BANK)
    assert list(LESSON) == list(BANK)[:12]
    assert len(BANK) >= 40


def test_every_question_has_a_topic_out_of_a_few_and_every_topic_some_questions():
    used = [question.topic for question in BANK.values()]
    assert set(used) == TOPICS.keys() - {"unchecked"}
    assert min(map(used.count, used)) >= 4


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_topic_has_a_name_of_its_own(language):
    TOPICS.check_translations()
    used = {question.topic for question in BANK.values()}
    assert len({TOPICS.say(language, topic, values={}) for topic in used}) == len(used)


@questions
def test_the_section_to_read_stands_in_the_course(question):
    notebook = ROOT / "assignments" / question.read.assignment / f"{question.read.assignment}.py"
    assert f"\n# ## {question.read.title}\n" in notebook.read_text(encoding="utf-8")


@questions
def test_the_further_mistakes_of_a_question_are_known(question):
    misconceptions_of_the_quiz = {wrong.id for other in BANK.values() for wrong in other.wrong}
    assert set(question.mistakes) <= set(MISTAKES) | misconceptions_of_the_quiz
    assert set(question.mistakes) <= set(misconceptions(question))
    assert {wrong.id for wrong in question.wrong} <= set(misconceptions(question))


def test_most_mistakes_of_the_code_assignments_lead_to_a_question():
    text = "".join((ROOT / "assignments" / name / f"{name}.py").read_text("utf-8") for name in CODE_ASSIGNMENTS)
    tasks = set(re.findall(r"^# %% tests (\w+)", text, re.MULTILINE))
    made = {name for name, mistake in MISTAKES.items() if tasks & ({*mistake.wrong, *mistake.also})}
    asked = {name for question in BANK.values() for name in misconceptions(question)}
    assert len(tasks) > 15
    assert len(made & asked) > 0.9 * len(made), sorted(made - asked)


@questions
def test_the_right_answer_is_right_in_every_variant(question):
    for params in variants(question):
        found = grade(question, params, question.written_answer(params))
        assert (found.state, found.fraction, found.mistakes) == ("correct", 1.0, ())


@questions
def test_a_question_reads_its_own_answer_back(question):
    for params in variants(question):
        written = question.written_answer(params)
        assert question.arranged(params).judge(question.answer(params), question.parse(params, written)).fraction == 1
        assert question.grade(params, written) == grade(question, params, written)


@questions
def test_no_named_wrong_answer_is_ever_right_and_each_is_named(question):
    for params in variants(question):
        for wrong in question.wrong:
            found = grade(question, params, question.written_wrong(wrong, params))
            assert found.fraction < 1
            assert found.state in ("partial", "incorrect")
            assert wrong.id in found.mistakes
            assert question.sentence(wrong, params) in found.message


@questions
def test_every_wrong_option_has_a_name(question):
    named = {wrong.id for wrong in question.wrong}
    for choice in question.choices():
        if isinstance(choice, Choice):
            assert len(set(choice.options) - named) == 1
        else:
            assert set(choice.options) - named < set(question.answer(question.lesson))


@questions
def test_a_wrong_answer_is_not_told_the_right_one(question):
    """Only the choice of a part that is right is ever repeated; numbers and shapes of the answer never are."""
    for params in variants(question):
        kind = question.arranged(params)
        answers = dict(zip(kind.parts, question.answer(params), strict=True)) if isinstance(kind, Parts) else {}
        for wrong in question.wrong:
            message = grade(question, params, question.written_wrong(wrong, params)).message
            right = answers.get(wrong.part, question.answer(params))
            assert str(right) not in message or isinstance(right, (int, float))


@questions
def test_the_hint_does_not_hold_the_right_option(question):
    for choice in question.choices():
        texts = dict(zip(choice.options, (text for _l, text in question.options(choice, question.lesson)), strict=True))
        assert not any(text in question.hint(question.lesson) for text in texts.values())


@questions
def test_variants_repeat_with_the_same_seed_and_differ_with_others(question):
    assert question.draw(random.Random(5)) == question.draw(random.Random(5))
    assert len({repr(question.draw(random.Random(seed))) for seed in range(40)}) > 3


@questions
def test_a_variant_can_be_kept_as_json(question):
    for params in variants(question):
        kept = json.loads(json.dumps(params))
        assert question.answer(kept) == question.answer(params)
        assert question.prompt(kept) == question.prompt(params)


@questions
def test_the_options_of_a_choice_are_about_equally_long(question):
    for choice in question.choices():
        lengths = [len(text) for _letter, text in question.options(choice, question.lesson)]
        assert max(lengths) < 1.45 * min(lengths) or isinstance(choice, Choices)


def test_the_lessons_right_options_are_spread_over_the_letters():
    letters = [
        choice.write(next(key for key in choice.options if key not in {wrong.id for wrong in question.wrong}))
        for question in LESSON.values()
        for choice in question.choices()
    ]
    assert len(set(letters)) >= 3
    assert max(map(letters.count, letters)) <= 2


@questions
def test_drawn_sizes_fit_each_other(question):
    for params in variants(question):
        if "h" in params and "d_model" in params and question.id != "q46":
            assert params["d_model"] % params["h"] == 0
            assert params["h"] >= 2


@pytest.mark.parametrize("name", ["q02", "q03", "q06", "q10", "q13", "q22", "q27", "q28", "q33", "q48"])
def test_no_two_axes_of_a_drawn_input_can_be_confused(name):
    for params in variants(BANK[name], 300)[1:]:
        sizes = [params[key] for key in ("B", "n", "n_q", "n_k", "h") if key in params]
        sizes.append(params["d_model"] // params["h"])
        assert len(set(sizes)) == len(sizes)


def test_the_numbers_of_the_last_question_are_the_lessons():
    prompt = BANK["q12"].prompt(BANK["q12"].lesson)
    assert "+0.2888" in prompt
    assert "0.1669" in prompt
    assert "0.3338" in BANK["q12"].explanation(BANK["q12"].lesson)


def test_the_difference_is_never_established_in_the_last_question():
    derived = BANK["q12"].derived
    for params in variants(BANK["q12"], 300):
        assert 0 < float(derived(params)["difference"]) < float(derived(params)["threshold"])


@pytest.mark.parametrize("name", ["q43", "q44"])
def test_every_bug_of_a_listing_is_drawn(name):
    drawn = {params["bug"] for params in variants(BANK[name], 200)}
    assert drawn <= set(misconceptions(BANK[name]))
    assert len(drawn) >= 5


def test_the_bank_starts_without_torch_and_reads_no_text():
    code = (
        "import sys, yaml; yaml.load = None; import assignments.quiz.bank;"
        "assert not {'torch', 'numpy', 'pytest'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_the_seed_of_a_variant_is_the_same_on_every_machine():
    assert variant_seed("secret", "ayse", "q02", 1) == SEEDS[0]
    assert variant_seed(PRACTICE_SECRET, "o\u02bbktam", "q13", 1) == SEEDS[1]
    question = BANK["q02"]
    params = question.draw(random.Random(variant_seed("secret", "ayse", "q02", 1)))
    assert params == SIZES


def test_the_seed_depends_on_secret_person_question_and_version():
    base = ("secret", "ayse", "q02", 1)
    others = [("other", *base[1:]), ("secret", "ayse2", "q02", 1), ("secret", "ayse", "q03", 1), (*base[:3], 2)]
    assert len({variant_seed(*each) for each in [base, *others]}) == 5
    assert variant_seed("s", "a", "q1", 12) != variant_seed("s", "a", "q11", 2)


def test_a_name_has_one_seed_however_its_letters_are_composed():
    assert variant_seed("s", "\u015eule", "q01", 1) == variant_seed("s", "S\u0327ule", "q01", 1)
