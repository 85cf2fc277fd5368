"""Hidden tests of the bug hunt: one test for each claim, inputs drawn afresh in every run."""

from __future__ import annotations

import re
from typing import Any

import torch
from headcheck.grading.checks import Mismatch, WrongAnswer, compare, differences, expect_raises, task
from headcheck.i18n import _
from headcheck.jail.errors import NotDefined, StudentError

from solutions import bug_hunt
from solutions.inputs import attention_state

SYMPTOMS = ("crash", "wrong shape", "silent")


def draw_sizes(draw: Any) -> tuple[int, ...]:
    """Draw B, n, h and d_k, all different, d_k no square number, and n above h."""
    return draw.distinct(B=(2, 4), n=(6, 8), h=(2, 4), d_k=(5, 7))


def check_symptom(student: Any, name: str, right: str) -> None:
    """Compare a named symptom with the right one, forgiving about case, spaces and punctuation."""
    variable = f"{name}_symptom"
    try:
        answer = student.value(variable)
    except NotDefined:
        answer = None
    if answer is None:
        message = _("{variable} is still None: run the cell as you got it and say what happens")
        raise WrongAnswer(message.format(variable=variable), state="not_attempted")
    said = re.sub(r"[^a-z]", "", answer.lower()) if isinstance(answer, str) else ""
    if said not in [symptom.replace(" ", "") for symptom in SYMPTOMS]:
        raise WrongAnswer(_('{variable} should be "crash", "wrong shape" or "silent"').format(variable=variable))
    if said != right.replace(" ", ""):
        message = _("{variable} is not what the given code does: does it stop, is the shape off, or neither?")
        raise WrongAnswer(message.format(variable=variable))


# wrong_view


@task("wrong_view", points=1, kept_for="the symptom, which is asked for")
def test_wrong_view_symptom(student, draw):
    """The symptom of the bug is named."""
    check_symptom(student, "wrong_view", "silent")


@task("wrong_view", points=2)
def test_every_head_holds_its_columns_of_every_token(student, draw):
    """Head i holds its own block of columns, token by token; no two sizes are equal."""
    B, n, h, d_k = draw_sizes(draw)
    compare(student.wrong_view, bug_hunt.wrong_view, draw.tensor(B, n, h * d_k), h)  # (B, h, n, d_k)


@task("wrong_view", points=1, kept_for="sizes that agree by chance")
def test_heads_are_right_where_shapes_cannot_tell(student, draw):
    """With as many tokens as heads, tokens and heads are still not confused."""
    n, d_k = draw.distinct(n=(3, 4), d_k=(5, 7))
    compare(student.wrong_view, bug_hunt.wrong_view, draw.tensor(2, n, n * d_k), n)  # (B, n, n, d_k)


# missing_transpose


def draw_weights(draw: Any, B: int, h: int, n_q: int, n_k: int) -> torch.Tensor:
    """Draw attention weights (B, h, n_q, n_k): positive, every row adds up to 1, different in every head."""
    return draw.tensor(B, h, n_q, n_k).softmax(dim=-1)


@task("missing_transpose", points=1, kept_for="the symptom, which is asked for")
def test_missing_transpose_symptom(student, draw):
    """The symptom of the bug is named."""
    check_symptom(student, "missing_transpose", "silent")


@task("missing_transpose", points=2, kept_for="self-attention, where most people start")
def test_every_row_holds_all_heads_of_one_token(student, draw):
    """Row t is the answer of head 0 for token t, then that of head 1, and so on."""
    B, n, h, d_k = draw_sizes(draw)
    weights, V = draw_weights(draw, B, h, n, n), draw.tensor(B, h, n, d_k)
    compare(student.missing_transpose, bug_hunt.missing_transpose, weights, V)  # (B, n, h * d_k)


@task("missing_transpose", points=1)
def test_merging_works_for_more_keys_than_queries(student, draw):
    """In cross-attention there is one row for each query, however many keys there are."""
    B, n, h, d_k = draw_sizes(draw)
    n_k = n + draw.integer(2, 4)
    weights, V = draw_weights(draw, B, h, n, n_k), draw.tensor(B, h, n_k, d_k)
    compare(student.missing_transpose, bug_hunt.missing_transpose, weights, V)  # (B, n_q, h * d_k)


# batch_first


@task("batch_first", points=1, kept_for="the symptom, which is asked for")
def test_batch_first_symptom(student, draw):
    """The symptom of the bug is named."""
    check_symptom(student, "batch_first", "silent")


@task("batch_first", points=2)
def test_every_sentence_attends_to_itself(student, draw):
    """The output is that of the module with the sentences kept apart."""
    B, n, h, d_k = draw_sizes(draw)
    state = attention_state(draw, h * d_k)
    compare(student.batch_first, bug_hunt.batch_first, draw.tensor(B, n, h * d_k), state, h)  # (B, n, d_model)


@task("batch_first", points=1, kept_for="sizes that agree by chance")
def test_sentences_stay_apart_where_shapes_cannot_tell(student, draw):
    """With as many sentences as tokens, they are still not confused."""
    n, h, d_k = draw.distinct(n=(3, 5), h=(2, 4), d_k=(5, 7))
    state = attention_state(draw, h * d_k)
    compare(student.batch_first, bug_hunt.batch_first, draw.tensor(n, n, h * d_k), state, h)  # (n, n, d_model)


# inverted_mask


def compare_at_real_tokens(
    student: Any, x: torch.Tensor, token: torch.Tensor, state: dict[str, torch.Tensor], h: int
) -> None:
    """Compare the outputs of real tokens; what stands in the rows of padding is free (zeros or NaN, say)."""
    try:
        compare(student.inverted_mask, bug_hunt.inverted_mask, x, token, state, h)  # (B, n, d_model)
    except Mismatch as mismatch:
        got, expected = mismatch.got, mismatch.expected
        same_shape = isinstance(got, torch.Tensor) and got.shape == expected.shape
        if not same_shape or differences(got[token], expected[token]) is not None:
            raise


@task("inverted_mask", points=1, kept_for="the symptom, which is asked for")
def test_inverted_mask_symptom(student, draw):
    """The symptom of the bug is named."""
    check_symptom(student, "inverted_mask", "silent")


@task("inverted_mask", points=2)
def test_padding_is_hidden_and_tokens_are_seen(student, draw):
    """Real tokens look at all real tokens and at no padding, in short sentences and in a full one."""
    B, n, h, d_k = draw_sizes(draw)
    state, token = attention_state(draw, h * d_k), ~draw.padding(B, n)
    compare_at_real_tokens(student, draw.tensor(B, n, h * d_k), token, state, h)


@task("inverted_mask", points=1, kept_for="sizes that agree by chance")
def test_padding_is_hidden_where_shapes_cannot_tell(student, draw):
    """With as many sentences as tokens, the mask still lies along the keys of its own sentence."""
    n, h, d_k = draw.distinct(n=(3, 5), h=(2, 4), d_k=(5, 7))
    state, token = attention_state(draw, h * d_k), ~draw.padding(n, n)
    compare_at_real_tokens(student, draw.tensor(n, n, h * d_k), token, state, h)


# averaged_weights


@task("averaged_weights", points=1, kept_for="the symptom, which is asked for")
def test_averaged_weights_symptom(student, draw):
    """The symptom of the bug is named."""
    check_symptom(student, "averaged_weights", "wrong shape")


@task("averaged_weights", points=2)
def test_weights_are_those_of_the_head_asked_for(student, draw):
    """Head i gives its own weights, not those of another head and not the mean."""
    B, n, h, d_k = draw.distinct(B=(2, 4), n=(6, 8), h=(3, 4), d_k=(5, 7))
    # From head 2 on, so that "always head 0" and "the head before" differ.
    state, i = attention_state(draw, h * d_k), draw.integer(2, h - 1)
    compare(student.averaged_weights, bug_hunt.averaged_weights, draw.tensor(B, n, h * d_k), state, h, i)  # (B, n, n)


@task("averaged_weights", points=1, kept_for="every head, the first and the last too")
def test_every_head_in_turn(student, draw):
    """All heads from the first to the last, with as many tokens as heads."""
    n = draw.integer(3, 4)
    x, state = draw.tensor(2, n, n * 5), attention_state(draw, n * 5)
    for i in range(n):
        compare(student.averaged_weights, bug_hunt.averaged_weights, x, state, n, i)  # (B, n, n)


# d_model_scaling


@task("d_model_scaling", points=1, kept_for="the symptom, which is asked for")
def test_d_model_scaling_symptom(student, draw):
    """The symptom of the bug is named."""
    check_symptom(student, "d_model_scaling", "silent")


@task("d_model_scaling", points=2)
def test_scores_are_scaled_by_the_head_size(student, draw):
    """The weights are those of scaled dot-product attention; no two sizes are equal."""
    B, n, h, d_k = draw_sizes(draw)
    Q, K = draw.tensor(B, h, n, d_k), draw.tensor(B, h, n, d_k)
    compare(student.d_model_scaling, bug_hunt.d_model_scaling, Q, K)  # (B, h, n, n)


@task("d_model_scaling", points=1, kept_for="cross-attention")
def test_scaling_works_for_more_keys_than_queries(student, draw):
    """In cross-attention the number of keys changes neither the scale nor the axis of softmax."""
    B, n, h, d_k = draw_sizes(draw)
    Q, K = draw.tensor(B, h, n, d_k), draw.tensor(B, h, n + draw.integer(2, 4), d_k)
    compare(student.d_model_scaling, bug_hunt.d_model_scaling, Q, K)  # (B, h, n_q, n_k)


# indivisible_heads


def draw_indivisible(draw: Any) -> tuple[torch.Tensor, int]:
    """Draw an input whose width is not divisible by the number of heads."""
    h, d_k = draw.distinct(h=(3, 5), d_k=(5, 7))
    d_model = h * d_k + draw.integer(1, h - 1)
    return draw.tensor(2, draw.integer(6, 8), d_model), h


@task("indivisible_heads", points=1, kept_for="the symptom, which is asked for")
def test_indivisible_heads_symptom(student, draw):
    """The symptom of the bug is named."""
    check_symptom(student, "indivisible_heads", "crash")


@task("indivisible_heads", points=2)
def test_sizes_that_do_not_fit_are_refused_and_others_are_split(student, draw):
    """Heads come out right when h divides d_model, and ValueError or AssertionError when it does not."""
    B, n, h, d_k = draw_sizes(draw)
    compare(student.indivisible_heads, bug_hunt.indivisible_heads, draw.tensor(B, n, h * d_k), h)  # (B, h, n, d_k)
    expect_raises(student.indivisible_heads, *draw_indivisible(draw))


@task("indivisible_heads", points=1, kept_for="a message that helps, which no mistake of the bank spoils alone")
def test_the_refusal_names_both_numbers(student, draw):
    """The message of the exception says what d_model and h are."""
    x, h = draw_indivisible(draw)
    try:
        student.indivisible_heads(x, h)
    except StudentError as refusal:
        numbers = re.findall(r"\d+", refusal.message)
        if refusal.type_name in ("ValueError", "AssertionError") and {str(x.shape[-1]), str(h)} <= set(numbers):
            return
    raise WrongAnswer(_("indivisible_heads: sizes that do not fit should be refused by naming d_model and h"))
