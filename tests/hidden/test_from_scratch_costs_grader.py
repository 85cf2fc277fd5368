"""What a layer holds and costs, and one head by hand: right answers pass, every known mistake is named."""

from functools import partial

import local_student
import pytest
import torch
import torch.nn.functional as F
from local_student import LocalStudent, demand_points_and_claims, forms_of, judged, run_cells
from torch import nn

from solutions import from_scratch
from solutions.mistakes import BANK

NAME = "from_scratch"
TASKS = ("count_parameters", "attention_cost", "one_head_by_hand")


def count_on_a_module(d_model, h):
    return sum(p.numel() for p in nn.MultiheadAttention(d_model, h).parameters())


def count_by_head(d_model, h):
    d_k = d_model // h
    return sum(3 * (d_model * d_k + d_k) for _ in range(h)) + d_model * d_model + d_model


def cost_by_head(n, d_model, h):
    d_k = d_model // h
    one = 2 * n * n * d_k
    return [sum(one for _ in range(h)), h * one, 8 * n * d_model**2, h * n**2]


def cost_by_products(n, d_model, h):
    def product(a, b, c):
        return 2 * a * b * c

    d_k = d_model // h
    return h * product(n, d_k, n), h * product(n, n, d_k), 4 * product(n, d_model, d_model), torch.ones(h, n, n).numel()


def head_by_linear(x, state, h, i):
    names = ("W_q", "W_k", "W_v")
    Q, K, V = (F.linear(x, state[f"{W}.weight"].chunk(h)[i], state[f"{W}.bias"].chunk(h)[i]) for W in names)
    weights = (Q @ K.mT * Q.shape[-1] ** -0.5).softmax(-1)
    return [torch.bmm(weights, V), weights]


def head_in_double(x, state, h, i):
    d_k = x.shape[2] // h
    Q, K, V = (
        torch.einsum("bnd,kd->bnk", x.double(), state[f"W_{part}.weight"].double()[i * d_k : i * d_k + d_k])
        + state[f"W_{part}.bias"][i * d_k : i * d_k + d_k]
        for part in "qkv"
    )
    weights = torch.softmax(torch.einsum("bqk,bsk->bqs", Q, K) / d_k**0.5, 2)
    return weights @ V, weights


def head_of_all(x, state, h, i):
    Q, K, V = (
        (x @ state[f"W_{part}.weight"].T + state[f"W_{part}.bias"]).unflatten(-1, (h, -1))[..., i, :] for part in "qkv"
    )
    weights = F.softmax(Q @ K.transpose(-1, -2) / Q.size(-1) ** 0.5, dim=-1)
    return F.scaled_dot_product_attention(Q, K, V), weights


VARIANTS = {
    "count_parameters": [count_on_a_module, count_by_head, lambda d_model, h: 4 * (d_model + 1) * d_model],
    "attention_cost": [
        cost_by_head,
        cost_by_products,
        lambda n, d, h: (2 * d * n**2, 2 * d * n**2, 8 * n * d * d, h * n * n),
    ],
    "one_head_by_hand": [head_by_linear, head_in_double, head_of_all],
}

FORMS = forms_of(TASKS)


points_of = partial(local_student.points_of, NAME)


@pytest.mark.parametrize("task", TASKS)
def test_the_points_are_those_of_the_test_cell_and_every_test_states_its_claim(task):
    demand_points_and_claims(NAME, task)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("seed", range(5))
def test_right_answers_in_any_style_earn_everything(task, seed):
    for variant in (getattr(from_scratch, task), *VARIANTS[task]):
        assert judged(NAME, task, LocalStudent({task: variant}), seed) == (points_of(task), set())


@pytest.mark.parametrize(("task", "mistake_id", "form"), FORMS)
def test_a_mistake_loses_points_and_is_named(task, mistake_id, form):
    for seed in (1, 2, 3):
        score, named = judged(NAME, task, LocalStudent({task: form}), seed)
        assert score < points_of(task)
        assert named == {mistake_id}


def test_every_task_can_name_at_least_four_mistakes():
    assert all(sum(bool(mistake.forms(task)) for mistake in BANK.values()) >= 4 for task in TASKS)


@pytest.mark.parametrize("task", TASKS)
def test_the_visible_checks_accept_other_styles(task):
    for variant in VARIANTS[task]:
        assert run_cells(NAME, release=False, **{task: variant})[1] == {}


def test_the_handout_says_what_is_to_do():
    errors = run_cells(NAME, release=True)[1]
    assert {f"{task}_tests" for task in TASKS} <= set(errors)
    assert all(isinstance(error, NotImplementedError) and len(str(error)) > 30 for error in errors.values())
