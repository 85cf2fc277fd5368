"""The reference code gives the figures of both lessons: fixed ones to the digits, trained ones by their property."""

import math
from functools import cache
from statistics import mean

import pytest
import torch
from torch import nn

from solutions import attention, experiments, torch_module, two_relations

D_MODEL = 32
HEADS = (1, 2, 4, 8)
SEEDS = range(4)


def rounded(row):
    return [round(weight, 3) for weight in row.tolist()]


# One layer


@pytest.mark.parametrize("h", [1, 2, 4, 8, 16])
def test_the_number_of_parameters_does_not_depend_on_h(h):
    assert sum(p.numel() for p in experiments.Attention(D_MODEL, h).parameters()) == 4224
    assert sum(p.numel() for p in nn.MultiheadAttention(D_MODEL, h).parameters()) == 4224
    assert 4 * D_MODEL**2 + 4 * D_MODEL == 4224


def test_the_shapes_of_every_step():
    x = torch.randn(2, 6, D_MODEL)
    Q = attention.split_heads(x, 4)
    assert x.view(2, 6, 4, 8).shape == (2, 6, 4, 8)
    assert Q.shape == (2, 4, 6, 8)
    weights = attention.attention_weights(Q, Q)
    assert weights.shape == (2, 4, 6, 6)
    assert attention.merge_heads(weights @ Q).shape == (2, 6, D_MODEL)


def test_a_head_is_a_slice_of_columns():
    x, W = torch.randn(2, 6, D_MODEL), nn.Linear(D_MODEL, D_MODEL)
    by_hand = x @ W.weight[8:16].T + W.bias[8:16]
    assert torch.allclose(attention.split_heads(W(x), 4)[:, 1], by_hand, atol=1e-6)


@pytest.mark.parametrize(("h", "numbers"), [(1, 16384), (2, 32768), (4, 65536), (8, 131072), (16, 262144)])
def test_the_weights_grow_with_h_and_the_arithmetic_does_not(h, numbers):
    n, d_k = 128, D_MODEL // h
    Q = attention.split_heads(torch.zeros(1, n, D_MODEL), h)
    assert attention.attention_weights(Q, Q).numel() == numbers
    assert h * 2 * n**2 * d_k == 1048576


def test_one_head_is_plain_attention():
    x, mha = torch.randn(2, 6, D_MODEL), nn.MultiheadAttention(D_MODEL, 1, batch_first=True)
    state = {name: tensor.detach() for name, tensor in mha.state_dict().items()}
    q, k, v = (
        x @ W.T + b for W, b in zip(state["in_proj_weight"].chunk(3), state["in_proj_bias"].chunk(3), strict=True)
    )
    plain = torch.softmax(q @ k.mT / math.sqrt(D_MODEL), dim=-1) @ v
    out = attention.multi_head_attention(x, x, x, state, 1)[0]
    assert torch.allclose(out, plain @ state["out_proj.weight"].T + state["out_proj.bias"], atol=1e-6)


# Torch's layer


def test_the_parameters_of_the_ready_made_layer():
    packed = dict(nn.MultiheadAttention(D_MODEL, 4).named_parameters())
    assert {name: tuple(p.shape) for name, p in packed.items()} == {
        "in_proj_weight": (96, 32),
        "in_proj_bias": (96,),
        "out_proj.weight": (32, 32),
        "out_proj.bias": (32,),
    }
    assert nn.MultiheadAttention(D_MODEL, 4, kdim=20, vdim=12).in_proj_weight is None


def test_the_ready_made_layer_agrees_with_padding_alone_and_across():
    torch.manual_seed(0)
    mha = nn.MultiheadAttention(D_MODEL, 4, batch_first=True).requires_grad_(False)
    x, decoder, lengths = torch.randn(3, 7, D_MODEL), torch.randn(3, 5, D_MODEL), torch.tensor([7, 4, 2])
    pad, state = torch_module.padding_of(lengths, 7), dict(mha.state_dict())
    assert pad.int().tolist()[1:] == [[0, 0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1, 1]]
    out, weights = mha(x, x, x, key_padding_mask=pad, average_attn_weights=False)
    ours, ours_weights = attention.multi_head_attention(x, x, x, state, 4, pad=pad)
    assert torch.allclose(out, ours, atol=1e-6)
    assert torch.allclose(weights, ours_weights, atol=1e-6)
    assert weights.masked_select(pad[:, None, None, :]).sum() == 0
    assert mha(x, x, x)[1].shape == (3, 7, 7)
    assert torch_module.batch_invariance(x, lengths, True, state, 4).max() < 1e-6
    across, across_weights = torch_module.cross_attention(decoder, x, pad, state, 4)
    assert across.shape == (3, 5, 32)
    assert across_weights.shape == (3, 4, 5, 7)
    assert torch.allclose(across, mha(decoder, x, x, key_padding_mask=pad)[0], atol=1e-6)


# The sentence


def test_one_head_is_nearly_blind_to_where_the_cat_climbed():
    W_q, W_k, _ = two_relations.lesson_head(2426)
    weights = two_relations.head_patterns(two_relations.sentence()[:, :4], W_q, W_k, 1)[0]
    assert rounded(weights[2]) == [0.136, 0.170, 0.204, 0.177, 0.139, 0.174]


def test_two_heads_find_two_relations():
    first, second = map(two_relations.lesson_head, two_relations.SEEDS)
    W_q, W_k = (two_relations.block_diagonal(first[i], second[i]) for i in range(2))
    weights = two_relations.head_patterns(two_relations.sentence(), W_q, W_k, 2)
    assert W_q.shape == (8, 8)
    assert rounded(weights[0, 4])[0] == 0.517
    assert rounded(weights[1, 2])[1] == 0.437
    assert two_relations.TOKENS[weights[0, 4].argmax()] == "Kedi"
    assert two_relations.TOKENS[weights[1, 2].argmax()] == "masaya"


def test_blocks_on_the_diagonal_are_two_separate_heads():
    X, heads = two_relations.sentence(), [*map(two_relations.lesson_head, two_relations.SEEDS)]
    W_q, W_k, W_v = (two_relations.block_diagonal(*pair) for pair in zip(*heads, strict=True))
    V = torch.stack((X @ W_v).chunk(2, dim=1))
    together = torch.cat([*(two_relations.head_patterns(X, W_q, W_k, 2) @ V)], dim=1)
    assert torch.allclose(together, two_relations.heads_apart(X, heads), atol=1e-6)


def test_drawing_from_a_generator_is_drawing_after_manual_seed():
    torch.manual_seed(9678)
    assert torch.equal(two_relations.lesson_head(9678)[0], torch.randn(4, 4) * 0.5)


# Trained models


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@cache
def new_data():
    return experiments.draw_batch(1000, torch.Generator().manual_seed(9))


@cache
def roles(seed):
    """Accuracies and roles of a model with two heads, trained as in part 3."""
    model, X = experiments.train(2, seed), new_data()
    with torch.no_grad():
        previous, first, weights = model(X)
        ablated = [experiments.accuracies(*model(X, 1 - mask)[:2], X) for mask in torch.eye(2)]
    full = experiments.accuracies(previous, first, X)
    profile = experiments.attention_profile(weights)
    return full, experiments.name_roles(profile, torch.tensor(full), torch.tensor(ablated))


@pytest.mark.parametrize("seed", [0, 1])
def test_two_heads_share_the_work(seed):
    full, names = roles(seed)
    assert min(full) > 0.99
    assert sorted(names) == ["first", "previous"]


def test_not_every_seed_specialises():
    full, names = roles(2)
    assert full[1] > 0.99
    assert names != ["previous", "first"]
    assert names != ["first", "previous"]


@cache
def runs(h):
    """Results of four seeds as in part 4, and what is left without each head: (4,), (4, h)."""
    full, ablated, X = [], [], new_data()
    for seed in SEEDS:
        model = experiments.train(h, seed, m=64)
        with torch.no_grad():
            full.append(experiments.both_right(*model(X)[:2], X))
            ablated.append([experiments.both_right(*model(X, 1 - mask)[:2], X) for mask in torch.eye(h)])
    return full, ablated


def test_more_heads_solve_more_seeds():
    solved = {h: experiments.success_share(runs(h)[0])[0] for h in HEADS}
    assert solved[1] < 4
    assert solved[1] <= solved[2] <= solved[4]
    assert solved[4] == solved[8] == 4


def test_every_seed_is_solved_or_stuck():
    assert all(result > 0.95 or result < 0.5 for h in HEADS for result in runs(h)[0])


def test_no_difference_is_significant_with_four_seeds():
    assert experiments.conclusion(HEADS, [runs(h)[0] for h in HEADS])[2] == []


def test_with_more_heads_one_head_matters_less():
    drops = [experiments.redundancy(*map(torch.tensor, runs(h)))[0] for h in HEADS[1:]]
    assert drops[0] > 0.5 > drops[1] > drops[2]
    assert drops[2] < 0.15


def test_the_statistics_of_the_lessons_table():
    table = [[0.444, 1.0, 0.401, 1.0], [1.0, 1.0, 0.404, 1.0], [1.0] * 4, [1.0] * 4]
    assert [round(mean(row), 3) for row in table] == [0.711, 0.851, 1.0, 1.0]
    gain, se, significant = experiments.paired_difference(table[0], table[2])
    assert (round(gain, 3), round(se, 3), significant) == (0.289, 0.167, False)
    gain, se, significant = experiments.paired_difference(table[0], table[1])
    assert (round(gain, 2), round(se, 2), significant) == (0.14, 0.14, False)
    assert experiments.conclusion(HEADS, table) == ([4, 8], [1, 2], [])
