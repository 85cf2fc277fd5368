"""The sentence with two relations: right answers in several styles pass, every known mistake is named."""

import math
from functools import partial

import local_student
import pytest
import torch
import torch.nn.functional as F
from local_student import LocalStudent, demand_points_and_claims, forms_of, judged, run_cells

from solutions import two_relations
from solutions.mistakes import BANK

NAME = "two_relations"
TASKS = ("block_diagonal", "head_patterns", "heads_apart")


def blocks_by_cat(A, B):
    p, q = len(A), len(B)
    return torch.cat([torch.cat([A, torch.zeros(p, q)], 1), torch.cat([torch.zeros(q, p), B], 1)])


def blocks_by_pad(A, B):
    return F.pad(A, (0, len(B), 0, len(B))) + F.pad(B, (len(A), 0, len(A), 0))


def blocks_by_loop(A, B):
    rows = [[*row, *[0.0] * len(B)] for row in A.tolist()] + [[*[0.0] * len(A), *row] for row in B.tolist()]
    return torch.tensor(rows, dtype=torch.float64)


def patterns_by_einsum(X, W_q, W_k, h):
    Q, K = ((X @ W).view(len(X), h, -1) for W in (W_q, W_k))
    return (torch.einsum("qhd,khd->hqk", Q, K) * Q.shape[-1] ** -0.5).softmax(-1)


def patterns_by_slices(X, W_q, W_k, h):
    d_k = X.shape[1] // h
    cuts = [slice(i * d_k, (i + 1) * d_k) for i in range(h)]
    return torch.stack([F.softmax(X @ W_q[:, c] @ (X @ W_k[:, c]).T / math.sqrt(d_k), dim=1) for c in cuts])


def patterns_in_double(X, W_q, W_k, h):
    Q, K = ((X.double() @ W.double()).unflatten(1, (h, -1)).permute(1, 0, 2) for W in (W_q, W_k))
    scores = (Q / Q.shape[-1] ** 0.25) @ (K / Q.shape[-1] ** 0.25).mT
    return scores.exp() / scores.exp().sum(-1, keepdim=True)


def apart_by_blocks(X, heads):
    W_q, W_k, W_v = (torch.block_diag(*matrices) for matrices in zip(*heads, strict=True))
    h = len(heads)
    Q, K, V = ((X @ W).view(len(X), h, -1).transpose(0, 1) for W in (W_q, W_k, W_v))
    return F.scaled_dot_product_attention(Q[None], K[None], V[None])[0].transpose(0, 1).flatten(1)


def apart_into_place(X, heads):
    out, d_k = torch.empty_like(X), len(heads[0][0])
    for i, (W_q, W_k, W_v) in enumerate(heads):
        c = slice(i * d_k, (i + 1) * d_k)
        out[:, c] = ((X[:, c] @ W_q @ W_k.T @ X[:, c].T) * d_k**-0.5).softmax(-1) @ X[:, c] @ W_v
    return out


def apart_in_double(X, heads):
    results = []
    for i, head in enumerate(heads):
        q, k, v = (X.double()[:, i * len(W) : (i + 1) * len(W)] @ W.double() for W in head)
        results.append(torch.softmax(q @ k.T / len(head[0]) ** 0.5, 1) @ v)
    return torch.hstack(results)


VARIANTS = {
    "block_diagonal": [torch.block_diag, blocks_by_cat, blocks_by_pad, blocks_by_loop],
    "head_patterns": [patterns_by_einsum, patterns_by_slices, patterns_in_double],
    "heads_apart": [apart_by_blocks, apart_into_place, apart_in_double],
}

FORMS = forms_of(TASKS)


points_of = partial(local_student.points_of, NAME)


@pytest.mark.parametrize("task", TASKS)
def test_the_points_are_those_of_the_test_cell_and_every_test_states_its_claim(task):
    demand_points_and_claims(NAME, task)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("seed", range(10))
def test_right_answers_in_any_style_earn_everything(task, seed):
    for variant in (getattr(two_relations, task), *VARIANTS[task]):
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
        _, errors = run_cells(NAME, release=False, **{task: variant})
        assert errors == {}


def test_the_model_answers_pass_their_checks_and_the_handout_says_what_is_to_do(capsys):
    assert run_cells(NAME, release=False)[1] == {}
    printed = capsys.readouterr().out
    assert all(f"{task}: the tiny example is right" in printed for task in TASKS)
    assert "0.517" in printed
    assert "0.437" in printed
    errors = run_cells(NAME, release=True)[1]
    assert set(errors) == {f"{task}_tests" for task in TASKS}
    assert all(isinstance(error, NotImplementedError) and len(str(error)) > 30 for error in errors.values())
