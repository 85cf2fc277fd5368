"""The twelve questions: their keys against the lesson and against PyTorch, and their named wrong answers."""

import math
import random
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from headcheck.quiz.grading import grade
from headcheck.quiz.kinds import Choice, Parts
from torch import nn

from assignments.quiz.bank import BANK

ROOT = Path(__file__).resolve().parents[2]
DRAWS = 300

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

questions = pytest.mark.parametrize("question", BANK.values(), ids=BANK)


def variants(question, count=DRAWS):
    rng = random.Random(question.id)
    return [question.lesson, *(question.draw(rng) for _draw in range(count))]


def choices(kind):
    kinds = kind.parts.values() if isinstance(kind, Parts) else (kind,)
    return [each for each in kinds if isinstance(each, Choice)]


@questions
def test_the_key_is_the_lessons(question):
    assert question.answer(question.lesson) == LESSON_KEYS[question.id]


def test_the_bank_holds_the_twelve_questions_in_order():
    assert list(BANK) == [f"q{number:02}" for number in range(1, 13)]
    assert [question.id for question in BANK.values()] == list(BANK)


@questions
def test_the_right_answer_is_right_in_every_variant(question):
    for params in variants(question):
        found = grade(question, params, question.written_answer(params))
        assert (found.state, found.fraction, found.mistakes) == ("correct", 1.0, ())


@questions
def test_a_question_reads_its_own_answer_back(question):
    for params in variants(question, 20):
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
    for choice in choices(question.kind):
        assert len(set(choice.options) - named) == 1


@questions
def test_a_wrong_answer_is_not_told_the_right_one(question):
    """Only the choice of a part that is right is ever repeated; numbers and shapes of the answer never are."""
    for params in variants(question, 20):
        kind = question.arranged(params)
        answers = dict(zip(kind.parts, question.answer(params), strict=True)) if isinstance(kind, Parts) else {}
        for wrong in question.wrong:
            message = grade(question, params, question.written_wrong(wrong, params)).message
            right = answers.get(wrong.part, question.answer(params))
            assert str(right) not in message or isinstance(right, (int, float))


@questions
def test_variants_repeat_with_the_same_seed_and_differ_with_others(question):
    assert question.draw(random.Random(5)) == question.draw(random.Random(5))
    assert len({repr(question.draw(random.Random(seed))) for seed in range(20)}) > 3


@questions
def test_every_variant_can_be_told(question):
    for params in variants(question, 20):
        assert question.title(params)
        assert question.prompt(params)
        assert question.explanation(params)
        for choice in choices(question.arranged(params)):
            texts = [text for _letter, text in question.options(choice, params)]
            assert len(set(texts)) == len(choice.options)


@questions
def test_the_right_option_stands_out_neither_by_place_nor_by_length(question):
    rng = random.Random(1)
    for position, choice in enumerate(choices(question.kind)):
        places = [choices(question.arranged(question.draw(rng)))[position].options for _draw in range(DRAWS)]
        named = {wrong.id for wrong in question.wrong}
        (right,) = set(choice.options) - named
        for place in range(len(choice.options)):
            assert 0.15 < sum(options[place] == right for options in places) / DRAWS < 0.35
        lengths = [len(text) for _letter, text in question.options(choice, question.lesson)]
        assert max(lengths) < 1.45 * min(lengths)
        own = lengths.pop(choice.options.index(right))
        assert min(lengths) <= own <= max(lengths)


def test_the_lessons_right_options_are_spread_over_the_letters():
    letters = [
        choice.write(next(key for key in choice.options if key not in {wrong.id for wrong in question.wrong}))
        for question in BANK.values()
        for choice in choices(question.kind)
    ]
    assert len(set(letters)) >= 3
    assert max(map(letters.count, letters)) <= 2


@questions
def test_drawn_sizes_fit_each_other(question):
    for params in variants(question):
        if "h" in params and "d_model" in params:
            assert params["d_model"] % params["h"] == 0
            assert params["h"] >= 2


@pytest.mark.parametrize("name", ["q02", "q03", "q06", "q10"])
def test_no_two_axes_of_a_drawn_input_can_be_confused(name):
    for params in variants(BANK[name])[1:]:
        sizes = [params[key] for key in ("B", "n", "n_q", "n_k", "h") if key in params]
        sizes.append(params["d_model"] // params["h"])
        assert len(set(sizes)) == len(sizes)


def module(params, h=None):
    return nn.MultiheadAttention(params["d_model"], h or params["h"], batch_first=True)


def small_variants(name):
    return variants(BANK[name], 5)


def test_width_and_split_agree_with_pytorch():
    for params in small_variants("q02"):
        heads = module(params).head_dim
        x = torch.zeros(params["B"], params["n"], params["d_model"])
        split = x.view(params["B"], params["n"], params["h"], heads).transpose(1, 2)
        assert BANK["q02"].answer(params) == tuple(split.shape)
        assert BANK["q03"].answer(params) == tuple((split @ split.transpose(-2, -1)).shape)
    for params in small_variants("q01"):
        assert BANK["q01"].answer(params) == module(params).head_dim


def test_parameter_counts_agree_with_pytorch():
    for params in small_variants("q04"):
        counted = [sum(p.numel() for p in module(params, h).parameters()) for h in (params["h"], params["fewer"])]
        assert list(BANK["q04"].answer(params)) == counted
    assert BANK["q04"].answer(BANK["q04"].lesson) == (16640, 16640)


def test_the_packed_projection_agrees_with_pytorch():
    for params in small_variants("q05"):
        assert BANK["q05"].answer(params) == tuple(module(params).in_proj_weight.shape)


def test_the_returned_weights_agree_with_pytorch():
    for params in small_variants("q06"):
        x = torch.randn(params["B"], params["n"], params["d_model"])
        attention = module(params)
        averaged = attention(x, x, x)[1]
        heads = attention(x, x, x, average_attn_weights=False)[1]
        assert BANK["q06"].answer(params)[0] == tuple(averaged.shape)
        assert torch.allclose(averaged, heads.mean(1), atol=1e-6)


def test_the_scale_agrees_with_pytorch():
    for params in small_variants("q07"):
        d_k = params["d_model"] // params["h"]
        q, k = torch.randn(1, 1, 3, d_k), torch.randn(1, 1, 3, d_k)
        weights = nn.functional.scaled_dot_product_attention(q, k, torch.eye(3)[None, None])
        ours = torch.softmax(q @ k.transpose(-2, -1) / BANK["q07"].answer(params), -1)
        assert torch.allclose(weights, ours, atol=1e-6)


def test_the_cost_agrees_with_the_sizes_of_the_tensors():
    for params in small_variants("q08"):
        flops, memory = BANK["q08"].answer(params)
        n, d_model, h = params["n"], params["d_model"], params["h"]
        one, many = (torch.zeros(heads, n, d_model // heads) for heads in (1, h))
        assert flops == (many.numel() * n) / (one.numel() * n)
        assert memory == (many @ many.transpose(1, 2)).numel() / (one @ one.transpose(1, 2)).numel()


def test_true_in_a_padding_mask_hides_a_key_from_every_query():
    params = {"d_model": 8, "h": 2}
    pad = torch.tensor([[False, False, True]])
    x = torch.randn(1, 3, 8)
    out, weights = module(params)(x, x, x, key_padding_mask=pad)
    assert weights[0, :, 2].abs().max() == 0
    assert out[0, 2].abs().max() > 0
    assert BANK["q09"].answer({}) == "ignored-as-key"


def test_cross_attention_shapes_agree_with_pytorch():
    for params in small_variants("q10"):
        q = torch.zeros(params["B"], params["n_q"], params["d_model"])
        k = torch.zeros(params["B"], params["n_k"], params["d_model"])
        out, averaged = module(params)(q, k, k)
        heads = module(params)(q, k, k, average_attn_weights=False)[1]
        assert BANK["q10"].answer(params) == (tuple(out.shape), tuple(averaged.shape), tuple(heads.shape))


def test_the_numbers_of_the_last_question_are_the_lessons():
    prompt = BANK["q12"].prompt(BANK["q12"].lesson)
    assert "+0.2888" in prompt
    assert "0.1669" in prompt
    assert "0.3338" in BANK["q12"].explanation(BANK["q12"].lesson)


def test_the_difference_is_never_established_in_the_last_question():
    derived = BANK["q12"].derived
    for params in variants(BANK["q12"]):
        assert 0 < float(derived(params)["difference"]) < float(derived(params)["threshold"])


def test_the_bank_starts_without_torch():
    code = "import sys; import assignments.quiz.bank; assert not {'torch', 'numpy', 'pytest'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
