"""The reference attention agrees with torch's own module."""

import pytest
import torch
from headcheck.grading.draw import Draw
from torch import nn

from solutions import attention, bug_hunt
from solutions.inputs import attention_state

TOLERANCE = {"atol": 2e-6, "rtol": 1e-5}


def torch_module(state, h):
    mha = nn.MultiheadAttention(state["out_proj.bias"].numel(), h, batch_first=True)
    mha.load_state_dict(state)
    return mha.requires_grad_(False)


@pytest.mark.parametrize("seed", range(5))
def test_cross_attention_with_padding_agrees_with_torch(seed):
    draw = Draw(seed)
    B, n_q, n_k, h, d_k = draw.distinct(B=(2, 3), n_q=(4, 6), n_k=(7, 9), h=(2, 4), d_k=(3, 6))
    state, pad = attention_state(draw, h * d_k), draw.padding(B, n_k)
    q, k, v = draw.tensor(B, n_q, h * d_k), draw.tensor(B, n_k, h * d_k), draw.tensor(B, n_k, h * d_k)
    out, weights = attention.multi_head_attention(q, k, v, state, h, pad)
    expected = torch_module(state, h)(q, k, v, key_padding_mask=pad, average_attn_weights=False)
    torch.testing.assert_close(out, expected[0], **TOLERANCE)
    torch.testing.assert_close(weights, expected[1], **TOLERANCE)


@pytest.mark.parametrize(("B", "n", "h", "d_k"), [(1, 1, 1, 1), (1, 5, 2, 3), (2, 1, 3, 2), (4, 4, 4, 4)])
def test_small_and_equal_sizes_agree_with_torch(B, n, h, d_k):
    draw = Draw(0)
    state, x = attention_state(draw, h * d_k), draw.tensor(B, n, h * d_k)
    out, _ = attention.multi_head_attention(x, x, x, state, h)
    torch.testing.assert_close(out, torch_module(state, h)(x, x, x)[0], **TOLERANCE)


def test_scores_without_padding_agree_with_sdpa():
    draw = Draw(1)
    Q, K, V = draw.tensor(2, 3, 5, 7), draw.tensor(2, 3, 6, 7), draw.tensor(2, 3, 6, 7)
    expected = nn.functional.scaled_dot_product_attention(Q, K, V)
    torch.testing.assert_close(attention.attention_weights(Q, K) @ V, expected, **TOLERANCE)


def test_padding_gets_no_weight_and_tokens_share_all_of_it():
    draw = Draw(2)
    pad = draw.padding(3, 6)
    weights = attention.attention_weights(draw.tensor(3, 2, 5, 4), draw.tensor(3, 2, 6, 4), pad)
    assert weights.masked_select(pad[:, None, None, :]).abs().max() == 0
    torch.testing.assert_close(weights.sum(-1), torch.ones(3, 2, 5))


def test_head_i_owns_its_block_of_columns():
    x = Draw(3).tensor(2, 5, 12)
    heads = attention.split_heads(x, 3)
    assert all(torch.equal(heads[:, i], x[..., 4 * i : 4 * i + 4]) for i in range(3))


def test_merging_undoes_splitting():
    x = Draw(4).tensor(2, 5, 12)
    assert torch.equal(attention.merge_heads(attention.split_heads(x, 3)), x)


def test_a_width_that_does_not_fit_is_refused_with_both_numbers():
    with pytest.raises(ValueError, match=r"30.*4"):
        attention.split_heads(torch.zeros(1, 2, 30), 4)


def test_the_mask_of_the_bug_hunt_is_true_at_tokens():
    draw = Draw(5)
    state, token, x = attention_state(draw, 12), ~draw.padding(3, 6), draw.tensor(3, 6, 12)
    out = bug_hunt.inverted_mask(x, token, state, 2)
    torch.testing.assert_close(out, torch_module(state, 2)(x, x, x, key_padding_mask=~token)[0], **TOLERANCE)


def test_one_head_of_the_bug_hunt_is_that_head():
    draw = Draw(6)
    state, x = attention_state(draw, 12), draw.tensor(3, 5, 12)
    expected = torch_module(state, 4)(x, x, x, average_attn_weights=False)[1]
    for i in range(4):
        torch.testing.assert_close(bug_hunt.averaged_weights(x, state, 4, i), expected[:, i], **TOLERANCE)


def test_drawn_parameters_have_biases_and_do_not_saturate_softmax():
    draw = Draw(7)
    state, x = attention_state(draw, 20), draw.tensor(3, 6, 20)
    assert state["in_proj_bias"].abs().min() > 0
    _, weights = attention.multi_head_attention(x, x, x, state, 4)
    entropy = -(weights * weights.log()).sum(-1).mean()
    assert 0.5 < entropy < 1.7  # log 6 = 1.79 would be uniform, 0 one-hot
