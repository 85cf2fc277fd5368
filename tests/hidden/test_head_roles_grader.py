"""The roles of heads: right answers in several styles pass, every known mistake is named."""

import copy
from functools import partial

import local_student
import pytest
import torch
import torch.nn.functional as F
from local_student import LocalStudent, demand_points_and_claims, judged, run_cells
from torch import nn

from solutions.experiments import K, N
from solutions.mistakes import BANK

NAME = "head_roles"
TASKS = ("make_batch", "two_target_model", "train", "attention_profile", "ablate_head", "name_roles")


@pytest.fixture(autouse=True, scope="module")
def model():
    """The names that the model answers leave behind; the experiment is cut short as in grading."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NBGRADER_EXECUTION", "autograde")
        names, errors = run_cells(NAME, release=False)
        assert errors == {}
        yield names


points_of = partial(local_student.points_of, NAME)


def marks(names, task, answer, seed=1, defined=None):
    """Score and named mistakes of a student who differs from the model answers in one task."""
    defined = defined or {"two_target_model": "TwoTargetModel"}.get(task, task)
    return judged(NAME, task, LocalStudent({**names, defined: answer}), seed)


# make_batch


def batch_with_numpy(m, seed):
    import numpy as np

    X = torch.from_numpy(np.random.default_rng(seed).integers(0, K, size=(m, N)))
    return X, X.roll(1, dims=1)[:, 1:], X[:, [0] * (N - 1)]


def batch_in_lists(m, seed):
    import random

    rng = random.Random(seed)
    X = [[rng.randrange(K) for _ in range(N)] for _ in range(m)]
    return [torch.tensor(X), torch.tensor([x[:-1] for x in X]), torch.tensor([[x[0]] * (N - 1) for x in X])]


def batch_small_integers(m, seed):
    torch.manual_seed(seed)
    X = (torch.rand(m, N) * K).floor().int()
    return X, X[:, torch.arange(1, N) - 1], X[:, 0, None].repeat(1, N - 1)


def drawn(m, seed, low=0, high=K):
    return torch.randint(low, high, (m, N), generator=torch.Generator().manual_seed(seed))


def cut(X, previous=None, first=None):
    return X, X[:, :-1] if previous is None else previous, X[:, :1].expand(-1, N - 1) if first is None else first


WRONG_BATCHES = {
    "tokens-out-of-range": lambda m, seed: cut(drawn(m, seed, 1, K + 1)),
    "tokens-left-out": lambda m, seed: cut(drawn(m, seed, 0, K - 1)),
    "target-is-the-token-itself": lambda m, seed: cut(drawn(m, seed), previous=drawn(m, seed)[:, 1:]),
    "target-is-the-next-token": lambda m, seed: cut(drawn(m, seed), previous=drawn(m, seed).roll(-1, 1)[:, 1:]),
    "target-for-position-zero": lambda m, seed: cut(drawn(m, seed), first=drawn(m, seed)[:, :1].expand(-1, N)),
    "first-is-position-one": lambda m, seed: cut(drawn(m, seed), first=drawn(m, seed)[:, 1:2].expand(-1, N - 1)),
    "first-of-the-batch": lambda m, seed: cut(drawn(m, seed), first=drawn(m, seed)[:1, 1:].expand(m, -1)),
    "targets-swapped": lambda m, seed: (drawn(m, seed), *cut(drawn(m, seed))[:0:-1]),
    "seed-ignored": lambda m, seed: cut(torch.randint(0, K, (m, N))),
    "seed-fixed": lambda m, seed: cut(drawn(m, 0)),
}


@pytest.mark.parametrize("answer", [batch_with_numpy, batch_in_lists, batch_small_integers])
def test_batches_may_be_drawn_in_any_way(model, answer):
    for seed in range(3):
        assert marks(model, "make_batch", answer, seed) == (3, set())


@pytest.mark.parametrize("mistake_id", WRONG_BATCHES)
def test_a_wrong_batch_is_named(model, mistake_id):
    score, named = marks(model, "make_batch", WRONG_BATCHES[mistake_id])
    assert score == 2
    assert named == {mistake_id}


# two_target_model


class WithDict(nn.Module):
    """The same parts in another order, with the positions as a parameter's rows."""

    def __init__(self, h, d_model=32):
        super().__init__()
        self.first, self.previous = (
            nn.Sequential(nn.Linear(d_model, 64), nn.ReLU(), nn.Linear(64, K)) for _ in range(2)
        )
        self.attention = ATTENTION(d_model, h)
        self.position = nn.Embedding(N, d_model)
        self.token = nn.Embedding(K, d_model)

    def forward(self, X):
        x = F.embedding(X, self.token.weight) + self.position.weight
        out, weights = self.attention(x)
        x = torch.narrow(out + x, 1, 1, N - 1)
        return [self.previous(x), self.first(x), weights]


class AllPositions(WithDict):
    def forward(self, X):
        x = self.token(X).add(self.position(torch.arange(N).expand_as(X)))
        out, weights = self.attention(x)
        x = x.add_(out) if not x.requires_grad else x + out
        return self.previous(x)[:, 1:], self.first(x)[:, 1:], weights.clone()


class WithExtras(WithDict):
    def __init__(self, h, d_model=32):
        super().__init__(h, d_model)
        self.register_buffer("places", torch.arange(N))

    def forward(self, X):
        x = self.token(X) + self.position(self.places)
        out, weights = self.attention(x)
        return (*(readout((x + out)[:, 1:]) for readout in (self.previous, self.first)), weights)


ATTENTION = None


@pytest.mark.parametrize("answer", [WithDict, AllPositions, WithExtras])
def test_models_may_be_written_in_any_way(model, answer):
    global ATTENTION
    ATTENTION = model["Attention"]
    for seed in range(3):
        assert marks(model, "two_target_model", answer, seed) == (4, set())


def forms(task):
    return [
        pytest.param(mistake.id, form, id=f"{mistake.id}-{number}")
        for mistake in BANK.values()
        for number, form in enumerate(mistake.forms(task))
    ]


@pytest.mark.parametrize(("mistake_id", "form"), forms("two_target_model"))
def test_a_wrong_model_is_named(model, mistake_id, form):
    class Wrong(model["TwoTargetModel"]):
        def forward(self, X):
            return form(X, dict(self.state_dict()), self.attention.h)

    for seed in (1, 2):
        score, named = marks(model, "two_target_model", Wrong, seed)
        assert score < 4
        assert named == {mistake_id}


# train


def trainer(model, steps_it=True, both=True, seeded=True, fixed=False, sgd=False, own_batches=False):
    def train(h, seed, steps=400):
        if seeded:
            torch.manual_seed(0 if fixed else seed)
        made = model["TwoTargetModel"](h)
        optimizer = (torch.optim.AdamW if sgd else torch.optim.Adam)(made.parameters(), 3e-3)
        for step in range(steps):
            if own_batches:
                X = torch.randint(0, K, (128, N))
                _, previous, first = cut(X)
            else:
                X, previous, first = model["make_batch"](128, 10**5 * (0 if fixed else seed) + step)
            said = made(X)
            loss = F.cross_entropy(said[1].transpose(1, 2), first)
            if both:
                loss += F.cross_entropy(said[0].reshape(-1, K), previous.reshape(-1))
            made.zero_grad()
            loss.backward()
            if steps_it:
                optimizer.step()
        return made.eval()

    return train


@pytest.mark.parametrize("style", [{}, {"own_batches": True}, {"sgd": True}])
def test_a_model_may_be_trained_in_any_way(model, style):
    assert marks(model, "train", trainer(model, **style)) == (3, set())


@pytest.mark.parametrize(
    ("style", "mistake_id", "points"),
    [
        ({"steps_it": False}, "optimizer-never-steps", 0),
        ({"seeded": False}, "training-not-seeded", 2),
        ({"fixed": True}, "seed-fixed", 2),
        ({"both": False}, "loss-of-one-target", 1),
    ],
)
def test_a_wrong_training_is_named(model, style, mistake_id, points):
    assert marks(model, "train", trainer(model, **style)) == (points, {mistake_id})


def test_claims_about_training_earn_nothing(model):
    class Boastful(model["TwoTargetModel"]):
        accuracy = 1.0

    score, _ = marks(model, "train", lambda h, seed, steps=400: print("accuracy 1.000") or Boastful(h))
    assert score == 0


# attention_profile


def profile_in_loops(weights):
    _, h, n, _ = weights.shape
    rows = [[0.0, 0.0] for _ in range(h)]
    for head in range(h):
        for i in range(2, n):
            rows[head][0] += weights[:, head, i, i - 1].mean().item() / (n - 2)
            rows[head][1] += weights[:, head, i, 0].mean().item() / (n - 2)
    return torch.tensor(rows)


def profile_by_diagonal(weights):
    back = weights.double().diagonal(-1, 2, 3)[..., 1:].mean(-1).mean(0)
    return torch.stack((back, weights.double()[:, :, 2:, 0].mean(-1).mean(0)), dim=-1)


def profile_by_mask(weights):
    n = weights.shape[-1]
    mask = torch.diag(torch.ones(n - 1), -1)
    mask[1] = 0
    mean = weights.mean(0)
    start = torch.zeros(n, n)
    start[2:, 0] = 1
    return torch.einsum("hqk,rqk->hr", mean, torch.stack([mask, start])) / (n - 2)


@pytest.mark.parametrize("answer", [profile_in_loops, profile_by_diagonal, profile_by_mask])
def test_profiles_may_be_made_in_any_way(model, answer):
    for seed in range(3):
        assert marks(model, "attention_profile", answer, seed) == (3, set())


@pytest.mark.parametrize(("mistake_id", "form"), forms("attention_profile"))
def test_a_wrong_profile_is_named(model, mistake_id, form):
    for seed in (1, 2, 3):
        score, named = marks(model, "attention_profile", form, seed)
        assert score < 3
        assert named == {mistake_id}


# ablate_head


def ablate_a_copy(attention, x, i):
    layer = copy.deepcopy(attention)
    with torch.no_grad():
        layer.W_o.weight[:, i * layer.d_k : (i + 1) * layer.d_k] = 0
        return layer(x)[0]


def ablate_by_subtraction(attention, x, i):
    columns = slice(i * attention.d_k, (i + 1) * attention.d_k)
    V = attention.W_qkv(x)[..., 2 * x.shape[-1] :][..., columns]
    out, weights = attention(x)
    return out - weights[:, i] @ V @ attention.W_o.weight[:, columns].T


def ablate_and_restore(attention, x, i):
    d = x.shape[-1]
    rows = slice(2 * d + i * attention.d_k, 2 * d + (i + 1) * attention.d_k)
    with torch.no_grad():
        kept = copy.deepcopy(attention.state_dict())
        attention.W_qkv.weight[rows] = 0
        attention.W_qkv.bias[rows] = 0
        out = attention(x)[0]
        attention.load_state_dict(kept)
    return out


def ablate_and_forget(attention, x, i):
    with torch.no_grad():
        attention.W_o.weight[:, i * attention.d_k : (i + 1) * attention.d_k] = 0
        return attention(x)[0]


@pytest.mark.parametrize("answer", [ablate_a_copy, ablate_by_subtraction, ablate_and_restore])
def test_a_head_may_be_taken_away_in_any_way(model, answer):
    for seed in range(3):
        assert marks(model, "ablate_head", answer, seed) == (4, set())


@pytest.mark.parametrize(("mistake_id", "form"), forms("ablate_head"))
def test_a_wrong_ablation_is_named(model, mistake_id, form):
    def ablate_head(attention, x, i):
        return form(x, i, dict(attention.state_dict()), attention.h)

    for seed in (1, 2, 3):
        score, named = marks(model, "ablate_head", ablate_head, seed)
        assert score < 4
        assert named == {mistake_id}


def test_a_head_that_is_not_put_back_is_named(model):
    assert marks(model, "ablate_head", ablate_and_forget) == (3, {"ablation-left-behind"})


# name_roles


def roles_by_tensor(profile, full, ablated):
    fits = (profile > 0.8) & (full > 0.9) & (ablated < 0.25) & (ablated.flip(1) >= full.flip(0) - 0.05)
    return [("previous", "first")[row.int().argmax()] if row.any() else "unclear" for row in fits]


def roles_in_a_tuple(profile, full, ablated):
    def role(p, a):
        names = {0: "previous", 1: "first"}
        found = [
            names[c] for c in names if p[c] > 0.8 and full[c] > 0.9 and a[c] < 0.25 and a[1 - c] > full[1 - c] - 0.05
        ]
        return found[0] if found else "unclear"

    return tuple(map(role, profile.tolist(), ablated.tolist()))


def roles_by_dropping(profile, full, ablated):
    roles = ["unclear"] * len(profile)
    for i in range(len(profile)):
        if full[0] > 0.9 and profile[i, 0] > 0.8 and ablated[i, 0] < 0.25 and full[1] - ablated[i, 1] <= 0.05:
            roles[i] = "previous"
        elif full[1] > 0.9 and profile[i, 1] > 0.8 and ablated[i, 1] < 0.25 and full[0] - ablated[i, 0] <= 0.05:
            roles[i] = "first"
    return roles


@pytest.mark.parametrize("answer", [roles_by_tensor, roles_in_a_tuple, roles_by_dropping])
def test_roles_may_be_named_in_any_way(model, answer):
    for seed in range(10):
        assert marks(model, "name_roles", answer, seed) == (4, set())


@pytest.mark.parametrize(("mistake_id", "form"), forms("name_roles"))
def test_a_wrong_rule_is_named(model, mistake_id, form):
    for seed in (1, 2, 3):
        score, named = marks(model, "name_roles", form, seed)
        assert score < 4
        assert named == {mistake_id}


# The notebook


@pytest.mark.parametrize("task", TASKS)
def test_the_points_are_those_of_the_test_cell_and_every_test_states_its_claim(task):
    demand_points_and_claims(NAME, task)


def test_the_model_answers_earn_everything(model):
    for task in TASKS:
        assert judged(NAME, task, LocalStudent(dict(model)), 3) == (points_of(task), set())


def test_the_handout_says_what_is_to_do(capsys):
    errors = run_cells(NAME, release=True)[1]
    assert set(errors) == {f"{task}_tests" for task in TASKS}
    assert all(isinstance(error, NotImplementedError) and len(str(error)) > 30 for error in errors.values())
    assert "once all six tasks are done" in capsys.readouterr().out
