"""Training in `head_roles` and `head_count`: loops in further styles earn everything."""

import copy

import pytest
import torch
import torch.nn.functional as F
from local_student import LocalStudent, judged, run_cells
from torch import nn

POINTS = {"train": 3, "run_seed": 5}
ASSIGNMENTS = {"train": "head_roles", "run_seed": "head_count"}


@pytest.fixture(scope="module")
def models():
    """Task -> the names that the model answers leave behind; the experiments are cut short as in grading."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NBGRADER_EXECUTION", "autograde")
        yield {task: run_cells(assignment, release=False)[0] for task, assignment in ASSIGNMENTS.items()}


def losses(said, X):
    """Both losses at once: the two answers (m, n - 1, K) are laid one after the other."""
    n = X.shape[1]
    answers = torch.cat([said[0], said[1]]).log_softmax(-1)  # (2 m, n - 1, K)
    targets = torch.cat([X[:, : n - 1], X[:, :1].repeat(1, n - 1)])  # (2 m, n - 1)
    return -2 * answers.gather(-1, targets[..., None]).mean()


def adam_by_hand(model, batches):
    """Adam in five lines, gradients without backward()."""
    parameters = list(model.parameters())
    means, squares = ([torch.zeros_like(p) for p in parameters] for _ in range(2))
    for t, X in enumerate(batches, start=1):
        for p, g, m, s in zip(
            parameters, torch.autograd.grad(losses(model(X), X), parameters), means, squares, strict=True
        ):
            m.lerp_(g, 0.1)
            s.lerp_(g * g, 0.001)
            p.data -= 3e-3 * (m / (1 - 0.9**t)) / ((s / (1 - 0.999**t)).sqrt() + 1e-8)
    return model


def warm_up_and_clip(model, batches):
    """A closure, a schedule, clipped gradients, and each loss sent backwards by itself."""
    optimizer = torch.optim.NAdam([{"params": m.parameters()} for m in model.children()], lr=5e-3)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 10))
    for X in batches:

        def closure(X=X):
            optimizer.zero_grad(set_to_none=False)
            previous, first, _weights = model.train()(X)
            goals = F.one_hot(X[:, :-1], 8).float(), F.one_hot(X[:, 0], 8).float()[:, None].expand_as(first)
            F.cross_entropy(previous.mT, goals[0].mT).backward(retain_graph=True)
            F.cross_entropy(first.mT, goals[1].mT).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)

        optimizer.step(closure)
        schedule.step()
    return model


def functional(model, batches):
    """Parameters live outside of the model and are copied in at the end."""
    state = {name: value.detach().clone().requires_grad_() for name, value in model.named_parameters()}
    optimizer = torch.optim.Adam(state.values(), 3e-3, betas=(0.9, 0.99))
    for X in batches:
        optimizer.zero_grad()
        losses(torch.func.functional_call(model, state, (X,)), X).backward()
        optimizer.step()
    trained = copy.deepcopy(model)
    trained.load_state_dict(state)
    return trained


LOOPS = [adam_by_hand, warm_up_and_clip, functional]


def trainer(names, task, loop):
    """Write an answer around a loop; the data of all steps are drawn before the first."""

    def train(h, seed, steps=400):
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            model = names["TwoTargetModel"](h)
            m = {"train": 128, "run_seed": 64}[task]
            return loop(model, torch.randint(0, 8, (steps, m, 12)).unbind())

    return train


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("task", POINTS)
def test_a_training_loop_in_any_style_earns_everything(models, task, loop):
    student = LocalStudent({**models[task], task: trainer(models[task], task, loop)})
    assert judged(ASSIGNMENTS[task], task, student, 1) == (POINTS[task], set())
