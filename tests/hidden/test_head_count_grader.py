"""The number of heads: right answers in several styles pass, every known mistake is named."""

import statistics
from functools import partial

import local_student
import numpy as np
import pytest
import torch
import torch.nn.functional as F
from local_student import LocalStudent, demand_points_and_claims, forms_of, judged, run_cells, text_cells

from solutions.mistakes import BANK

NAME = "head_count"
TASKS = ("run_seed", "paired_difference", "success_share", "redundancy", "conclusion")
TABLES = TASKS[1:]


@pytest.fixture(autouse=True, scope="module")
def model():
    """The names that the model answers leave behind; the experiment is cut short as in grading."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NBGRADER_EXECUTION", "autograde")
        names, errors = run_cells(NAME, release=False)
        assert errors == {}
        yield names


points_of = partial(local_student.points_of, NAME)


def marks(names, task, seed=1, **answers):
    return judged(NAME, task, LocalStudent({**names, **answers}), seed)


# run_seed


def both_by_product(previous, first, X):
    hits = (previous.argmax(2) == X[:, :-1]).double() * (first.argmax(2) == X[:, 0, None]).double()
    return float(hits.mean())


def both_in_loops(previous, first, X):
    said = previous.argmax(-1).tolist(), first.argmax(-1).tolist()
    hits = [
        said[0][b][i - 1] == row[i - 1] and said[1][b][i - 1] == row[0]
        for b, row in enumerate(X.tolist())
        for i in range(1, len(row))
    ]
    return sum(hits) / len(hits)


def both_as_tensor(previous, first, X):
    wrong = (previous.max(-1).indices != X[:, :-1]) | (first.max(-1).indices != X[:, :1])
    return 1 - wrong.float().mean()


WRONG_COUNTS = {
    "accuracies-averaged": lambda a, b: (a.float().mean() + b.float().mean()).item() / 2,
    "accuracies-multiplied": lambda a, b: (a.float().mean() * b.float().mean()).item(),
    "either-answer-counts": lambda a, b: (a | b).float().mean().item(),
    "one-answer-counts": lambda a, b: b.float().mean().item(),
}


def trainer(names, steps_it=True, both=True, seeded=True, fixed=False, heads=None, weight_decay=0.0, global_data=False):
    def run_seed(h, seed, steps=400):
        if seeded:
            torch.manual_seed(0 if fixed else seed)
        made = names["TwoTargetModel"](heads or h)
        optimizer = torch.optim.AdamW(made.parameters(), lr=3e-3, weight_decay=weight_decay)
        generator = None if global_data else torch.Generator().manual_seed(0 if fixed else seed)
        for _ in range(steps):
            X, previous, first = names["make_batch"](64, generator)
            said = made(X)
            loss = F.cross_entropy(said[1].mT, first) + both * F.cross_entropy(said[0].mT, previous)
            made.zero_grad()
            loss.backward()
            if steps_it:
                optimizer.step()
        return made

    return run_seed


@pytest.mark.parametrize("answer", [both_by_product, both_in_loops, both_as_tensor])
def test_right_positions_may_be_counted_in_any_way(model, answer):
    assert marks(model, "run_seed", both_right=answer) == (5, set())


@pytest.mark.parametrize("style", [{}, {"weight_decay": 1e-4}, {"global_data": True}])
def test_a_run_may_be_written_in_any_way(model, style):
    assert marks(model, "run_seed", run_seed=trainer(model, **style)) == (5, set())


@pytest.mark.parametrize("mistake_id", WRONG_COUNTS)
def test_a_wrong_count_is_named(model, mistake_id):
    def both_right(previous, first, X):
        return WRONG_COUNTS[mistake_id](previous.argmax(-1) == X[:, :-1], first.argmax(-1) == X[:, :1])

    assert marks(model, "run_seed", both_right=both_right) == (3, {mistake_id})


@pytest.mark.parametrize(
    ("style", "mistake_id", "points"),
    [
        ({"steps_it": False}, "optimizer-never-steps", 2),
        ({"seeded": False}, "training-not-seeded", 4),
        ({"fixed": True}, "seed-fixed", 4),
        ({"both": False}, "loss-of-one-target", 3),
        ({"heads": 1}, "number-of-heads-ignored", 3),
    ],
)
def test_a_wrong_run_is_named(model, style, mistake_id, points):
    assert marks(model, "run_seed", run_seed=trainer(model, **style)) == (points, {mistake_id})


def test_a_number_that_is_claimed_earns_nothing(model):
    score, _ = marks(model, "run_seed", run_seed=lambda h, seed, steps=400: 1.0, both_right=lambda *args: 1.0)
    assert score == 0


# The other tasks


def paired_by_numpy(a, b):
    d = np.subtract(b, a)
    se = float(np.std(d, ddof=1)) / len(d) ** 0.5
    return [float(np.mean(d)), se, bool(abs(np.mean(d)) / 2 > se)]


def paired_by_statistics(a, b):
    d = [y - x for x, y in zip(a, b, strict=True)]
    middle, se = statistics.fmean(d), statistics.stdev(d) / len(d) ** 0.5
    return middle, se, not -2 * se <= middle <= 2 * se


def paired_by_hand(a, b):
    n = len(a)
    middle = sum(b) / n - sum(a) / n
    squares = sum((y - x - middle) ** 2 for x, y in zip(a, b, strict=True))
    se = (squares / (n - 1) / n) ** 0.5
    return torch.tensor(middle, dtype=torch.float64), se, middle**2 > 4 * se**2


def share_by_counts(results):
    n, k, z = len(results), len([r for r in results if r > 0.95]), 1.96
    root = (k * (n - k) / n + z**2 / 4) ** 0.5
    return k, k / n, (k + z**2 / 2 - z * root) / (n + z**2), (k + z**2 / 2 + z * root) / (n + z**2)


def share_by_tensor(results):
    solved = torch.tensor(results, dtype=torch.float64) > 0.95
    p, n, z2 = solved.double().mean(), len(results), 1.96**2
    half = (z2 * (p * (1 - p) / n + z2 / (4 * n * n))).sqrt() / (1 + z2 / n)
    centre = (p + z2 / (2 * n)) / (1 + z2 / n)
    return [int(solved.sum()), p.item(), centre - half, centre + half]


def share_by_roots(results):
    k, n = int(np.sum(np.array(results) > 0.95)), len(results)
    a, b, c = 1 + 1.96**2 / n, -(2 * k / n + 1.96**2 / n), (k / n) ** 2
    ends = sorted((-b + sign * max(b * b - 4 * a * c, 0) ** 0.5) / (2 * a) for sign in (-1, 1))
    return k, k / n, ends[0], ends[1]


def redundancy_in_loops(full, ablated):
    drops = [f - x for f, row in zip(full.tolist(), ablated.tolist(), strict=True) for x in row]
    return sum(drops) / len(drops), max(drops)


def redundancy_by_numpy(full, ablated):
    drops = np.asarray(full).reshape(-1, 1) - np.asarray(ablated)
    return float(drops.mean()), float(drops.max())


def redundancy_by_parts(full, ablated):
    lost = full.unsqueeze(-1).expand_as(ablated).double() - ablated.double()
    return lost.sum(1).sum() / lost.numel(), lost.amax(1).amax()


def conclusion_in_loops(heads, results):
    best, split, significant = [], [], []
    top = max(np.mean(row) for row in results)
    for h, row in zip(heads, results, strict=True):
        if abs(np.mean(row) - top) < 1e-6:
            best.append(h)
        if any(x > 0.95 for x in row) and any(x < 0.5 for x in row):
            split.append(h)
        if h != heads[0] and paired_by_statistics(results[0], row)[2]:
            significant.append(h)
    return [best, split, significant]


def conclusion_by_tensor(heads, results):
    table, names = torch.tensor(results, dtype=torch.float64), torch.tensor(heads)
    means, d = table.mean(1), table - table[0]
    se = d.std(1) / table.shape[1] ** 0.5
    masks = means >= means.max() - 1e-6, (table > 0.95).any(1) & (table < 0.5).any(1), d.mean(1).abs() > 2 * se
    return tuple(names[mask].tolist() for mask in masks)


def conclusion_by_ranking(heads, results):
    means = {h: sum(row) / len(row) for h, row in zip(heads, results, strict=True)}
    rows = dict(zip(heads, results, strict=True))
    best = tuple(h for h in heads if round(means[h] - max(means.values()), 6) == 0)
    split = tuple(h for h in heads if sorted(rows[h])[0] < 0.5 and sorted(rows[h])[-1] > 0.95)
    return best, split, tuple(h for h in heads[1:] if paired_by_numpy(rows[heads[0]], rows[h])[2])


VARIANTS = {
    "paired_difference": [paired_by_numpy, paired_by_statistics, paired_by_hand],
    "success_share": [share_by_counts, share_by_tensor, share_by_roots],
    "redundancy": [redundancy_in_loops, redundancy_by_numpy, redundancy_by_parts],
    "conclusion": [conclusion_in_loops, conclusion_by_tensor, conclusion_by_ranking],
}

FORMS = forms_of(TABLES)


@pytest.mark.parametrize("task", TABLES)
@pytest.mark.parametrize("seed", range(20))
def test_right_answers_in_any_style_earn_everything(model, task, seed):
    for variant in (model[task], *VARIANTS[task]):
        assert marks(model, task, seed, **{task: variant}) == (points_of(task), set())


@pytest.mark.parametrize(("task", "mistake_id", "form"), FORMS)
def test_a_mistake_loses_points_and_is_named(model, task, mistake_id, form):
    for seed in (1, 2, 3, 4):
        score, named = marks(model, task, seed, **{task: form})
        assert score < points_of(task)
        assert named == {mistake_id}


def test_every_task_can_name_at_least_four_mistakes():
    assert all(sum(bool(mistake.forms(task)) for mistake in BANK.values()) >= 4 for task in TABLES)


# The notebook


@pytest.mark.parametrize("task", TASKS)
def test_the_points_are_those_of_the_test_cell_and_every_test_states_its_claim(task):
    demand_points_and_claims(NAME, task)


@pytest.mark.parametrize("task", TABLES)
def test_the_visible_checks_accept_other_styles(task):
    (check,) = [cell for cell in text_cells(NAME) if (cell.kind, cell.name) == ("tests", task)]
    for variant in VARIANTS[task]:
        exec(check.source, {"torch": torch, "math": __import__("math"), task: variant})


def test_the_handout_says_what_is_to_do(capsys):
    errors = run_cells(NAME, release=True)[1]
    assert set(errors) == {f"{task}_tests" for task in TASKS}
    assert all(isinstance(error, NotImplementedError) and len(str(error)) > 30 for error in errors.values())
    assert "once the tasks above are done" in capsys.readouterr().out
