"""Torch's own attention: right answers in several styles pass, every known mistake is named."""

import copy
from functools import partial

import local_student
import pytest
import torch
import torch.nn.functional as F
from local_student import LocalStudent, demand_points_and_claims, forms_of, judged, run_cells
from torch import nn

from solutions.mistakes import BANK

NAME = "torch_module"
TASKS = ("copy_weights", "head_weights", "padding_mask", "sdpa", "cross_attention", "batch_invariance")
MODEL, _errors = run_cells(NAME, release=False)


points_of = partial(local_student.points_of, NAME)


def student(**names):
    return LocalStudent({**MODEL, **names})


def copy_by_slices(ours, mha):
    d = mha.embed_dim
    with torch.no_grad():
        for i, name in enumerate("qkv"):
            layer = getattr(ours, f"W_{name}")
            if mha._qkv_same_embed_dim:
                mha.in_proj_weight[i * d : (i + 1) * d] = layer.weight
            else:
                getattr(mha, f"{name}_proj_weight").copy_(layer.weight)
            mha.in_proj_bias[i * d : (i + 1) * d] = layer.bias
        mha.out_proj.load_state_dict(ours.W_o.state_dict())
    return mha


def copy_by_state(ours, mha):
    state = {"in_proj_bias": torch.cat([ours.W_q.bias, ours.W_k.bias, ours.W_v.bias])}
    weights = [ours.W_q.weight, ours.W_k.weight, ours.W_v.weight]
    try:
        mha.load_state_dict(state | {"in_proj_weight": torch.cat(weights)}, strict=False)
    except RuntimeError:
        mha.load_state_dict(dict(zip(("q_proj_weight", "k_proj_weight", "v_proj_weight"), weights, strict=True)), False)
        mha.load_state_dict(state, strict=False)
    mha.out_proj.weight.data.copy_(ours.W_o.weight.data)
    mha.out_proj.bias.data.copy_(ours.W_o.bias.data)


def copy_as_new_parameters(ours, mha):
    weights = [ours.W_q.weight, ours.W_k.weight, ours.W_v.weight]
    if mha.in_proj_weight is not None:
        mha.in_proj_weight = nn.Parameter(torch.vstack(weights).detach().clone())
    else:
        mha.q_proj_weight, mha.k_proj_weight, mha.v_proj_weight = (nn.Parameter(w.detach().clone()) for w in weights)
    mha.in_proj_bias = nn.Parameter(torch.hstack([ours.W_q.bias, ours.W_k.bias, ours.W_v.bias]).detach())
    mha.out_proj.weight = nn.Parameter(ours.W_o.weight.detach().clone())
    mha.out_proj.bias = nn.Parameter(ours.W_o.bias.detach().clone())


def shared_memory(ours, mha):
    if mha.in_proj_weight is None:
        for name in "qkv":
            getattr(mha, f"{name}_proj_weight").data = getattr(ours, f"W_{name}").weight.data
    else:
        mha.in_proj_weight.data = torch.cat([ours.W_q.weight, ours.W_k.weight, ours.W_v.weight]).data
    mha.in_proj_bias.data = torch.cat([ours.W_q.bias, ours.W_k.bias, ours.W_v.bias]).data
    mha.out_proj.weight.data = ours.W_o.weight.data
    mha.out_proj.bias.data = ours.W_o.bias.data


def weights_by_hand(mha, x):
    q, k, _ = F.linear(x, mha.in_proj_weight, mha.in_proj_bias).chunk(3, -1)
    Q, K = (t.unflatten(-1, (mha.num_heads, -1)).transpose(1, 2) for t in (q, k))
    return (Q @ K.mT * mha.head_dim**-0.5).softmax(-1)


def weights_one_by_one(mha, x):
    with torch.no_grad():
        return torch.stack([mha(s, s, s, average_attn_weights=False)[1] for s in x])


def weights_in_double(mha, x):
    mha = copy.deepcopy(mha).double()
    return mha(x.double(), x.double(), x.double(), average_attn_weights=False)[1]


def padded_float(mha, x, lengths):
    mask = torch.zeros(x.shape[:2])
    for b, length in enumerate(lengths):
        mask[b, length:] = float("-inf")
    return mha(x, x, x, key_padding_mask=mask, average_attn_weights=False)


def padded_pairs(mha, x, lengths):
    hidden = torch.arange(x.shape[1]).expand(x.shape[:2]) >= lengths.unsqueeze(1)
    pairs = hidden[:, None].expand(-1, x.shape[1], -1).repeat_interleave(mha.num_heads, dim=0)
    return list(mha(x, x, x, attn_mask=pairs, average_attn_weights=False))


def padded_alone(mha, x, lengths):
    B, n, _ = x.shape
    out, weights = torch.full_like(x, torch.nan), torch.zeros(B, mha.num_heads, n, n)
    with torch.no_grad():
        for b, m in enumerate(lengths.tolist()):
            real = x[b, :m]
            out[b, :m], weights[b, :, :m, :m] = mha(real, real, real, average_attn_weights=False)
    return out, weights


def sdpa_float(Q, K, V, pad):
    mask = torch.zeros(pad.shape).masked_fill(pad, float("-inf"))[:, None, None]
    return F.scaled_dot_product_attention(Q, K, V, mask)


def sdpa_full(Q, K, V, pad):
    look = pad.logical_not()[:, None, None, :].expand(*Q.shape[:3], -1)
    return F.scaled_dot_product_attention(Q.double(), K.double(), V.double(), attn_mask=look)


def sdpa_by_hand(Q, K, V, pad):
    scores = (Q @ K.mT / Q.shape[-1] ** 0.5).masked_fill(pad[:, None, None], -1e9)
    return scores.softmax(-1) @ V


def cross_float(mha, decoder, encoder, pad):
    mask = torch.where(pad, float("-inf"), 0.0)
    out, weights = mha(query=decoder, key=encoder, value=encoder, key_padding_mask=mask, average_attn_weights=False)
    return [out, weights]


def cross_pairs(mha, decoder, encoder, pad):
    pairs = pad[:, None].expand(-1, decoder.shape[1], -1).repeat_interleave(mha.num_heads, 0)
    return mha(decoder, encoder, encoder, attn_mask=pairs, average_attn_weights=False)


def cross_one_by_one(mha, decoder, encoder, pad):
    got = [
        mha(d, e, e, key_padding_mask=p, average_attn_weights=False)
        for d, e, p in zip(decoder, encoder, pad, strict=True)
    ]
    return torch.stack([out for out, _ in got]), torch.stack([weights for _, weights in got])


def invariance_zipped(mha, x, lengths, masked):
    pad = torch.stack([torch.arange(x.shape[1]) >= m for m in lengths])
    options = {"key_padding_mask": pad} if masked else {}
    with torch.no_grad():
        together = mha(x, x, x, **options)[0]
        alone = [mha(s[:m], s[:m], s[:m])[0] for s, m in zip(x, lengths, strict=True)]
    return torch.tensor([(t[: len(a)] - a).abs().max().item() for t, a in zip(together, alone, strict=True)])


def invariance_padded(mha, x, lengths, masked):
    pad = torch.arange(x.shape[1]) >= lengths[:, None]
    alone, _ = padded_alone(mha, x, lengths)
    together = mha(x, x, x, key_padding_mask=pad, need_weights=False)[0] if masked else mha(x, x, x)[0]
    return (together - alone.nan_to_num()).abs().masked_fill(pad[..., None], 0).amax((1, 2))


def invariance_in_double(mha, x, lengths, masked):
    mha, x = copy.deepcopy(mha).double(), x.double()
    found = []
    for b in range(len(x)):
        m = int(lengths[b])
        hidden = torch.arange(x.shape[1])[None] >= m if masked else None
        one = mha(x[b : b + 1], x[b : b + 1], x[b : b + 1], key_padding_mask=hidden)[0][0, :m]
        cut = mha(x[b, :m], x[b, :m], x[b, :m])[0]
        found.append(torch.linalg.vector_norm(one - cut, ord=float("inf")))
    return torch.stack(found)


VARIANTS = {
    "copy_weights": [copy_by_slices, copy_by_state, copy_as_new_parameters],
    "head_weights": [weights_by_hand, weights_one_by_one, weights_in_double],
    "padding_mask": [padded_float, padded_pairs, padded_alone],
    "sdpa": [sdpa_float, sdpa_full, sdpa_by_hand],
    "cross_attention": [cross_float, cross_pairs, cross_one_by_one],
    "batch_invariance": [invariance_zipped, invariance_padded, invariance_in_double],
}

FORMS = forms_of(TASKS)


def in_notebook(task, form):
    """Turn a form of the bank, a function of parameters, into a student's function of a layer."""
    if task == "sdpa":
        return form
    if task != "copy_weights":
        return lambda mha, *inputs: form(*inputs, dict(mha.state_dict()), mha.num_heads)

    def copy_weights(ours, mha):
        mha.load_state_dict(form(dict(ours.state_dict()), dict(mha.state_dict())))

    return copy_weights


@pytest.mark.parametrize("task", TASKS)
def test_the_points_are_those_of_the_test_cell_and_every_test_states_its_claim(task):
    demand_points_and_claims(NAME, task)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("seed", range(5))
def test_right_answers_in_any_style_earn_everything(task, seed):
    for variant in (MODEL[task], *VARIANTS[task]):
        assert judged(NAME, task, student(**{task: variant}), seed) == (points_of(task), set())


@pytest.mark.parametrize(("task", "mistake_id", "form"), FORMS)
def test_a_mistake_loses_points_and_is_named(task, mistake_id, form):
    for seed in (1, 2, 3):
        score, named = judged(NAME, task, student(**{task: in_notebook(task, form)}), seed)
        assert score < points_of(task)
        assert named == {mistake_id}


def test_memory_that_is_shared_is_named():
    assert judged(NAME, "copy_weights", student(copy_weights=shared_memory), 1) == (4, {"copy-shares-memory"})


def test_masks_repeated_in_the_wrong_order_are_named():
    wrong = student(masks_for_heads=lambda blocked, h: blocked.repeat(h, 1, 1))
    assert judged(NAME, "padding_mask", wrong, 1) == (3, {"mask-repeated-in-wrong-order"})


def test_a_copy_that_forgets_no_grad_is_named_by_its_crash():
    def copy_weights(ours, mha):
        mha.in_proj_bias.copy_(ours.W_q.bias.repeat(3))

    assert judged(NAME, "copy_weights", student(copy_weights=copy_weights), 1) == (1, {"copy-without-no-grad"})


def test_every_task_can_name_at_least_four_mistakes():
    assert all(sum(bool(mistake.forms(task)) for mistake in BANK.values()) >= 4 for task in TASKS)


@pytest.mark.parametrize("task", TASKS)
def test_the_visible_checks_accept_other_styles(task):
    for variant in VARIANTS[task]:
        assert run_cells(NAME, release=False, **{task: variant})[1] == {}


def test_the_model_answers_pass_their_checks_and_the_handout_says_what_is_to_do(capsys):
    assert run_cells(NAME, release=False)[1] == {}
    printed = capsys.readouterr().out
    assert all(f"{task}: the tiny example is right" in printed for task in TASKS)
    assert "4224 numbers" in printed
    errors = run_cells(NAME, release=True)[1]
    assert set(errors) == {f"{task}_tests" for task in TASKS}
    assert all(isinstance(error, NotImplementedError) and len(str(error)) > 30 for error in errors.values())
