"""Hidden tests of the roles of heads: one test for each claim; models are judged by their answers to new data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from headcheck.grading.checks import WrongAnswer, compare, differences, task
from headcheck.i18n import _

from solutions import experiments
from solutions.experiments import K, N
from solutions.inputs import BIAS_STD, WEIGHT_STD

State = dict[str, torch.Tensor]


def draw_tokens(draw: Any, m: int) -> torch.Tensor:
    """Draw sequences (m, N) that the student has never seen."""
    return torch.tensor([[draw.integer(0, K - 1) for _ in range(N)] for _ in range(m)])


def unrecorded(student: Any, call: Callable[[], Any]) -> Any:
    """Make a call that diagnosis shall not see, because its answer is judged by what it is made of."""
    before = len(student.calls)
    try:
        return call()
    finally:
        del student.calls[before:]


# make_batch


def get_batch(student: Any, m: int, seed: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Ask for a batch of three integer tensors, X of shape (m, N)."""
    got = unrecorded(student, lambda: student.make_batch(m, seed))
    if not isinstance(got, (tuple, list)) or len(got) != 3 or not all(isinstance(part, torch.Tensor) for part in got):
        raise WrongAnswer(_("make_batch: three tensors were asked for: X, previous, first"))
    X, previous, first = got
    if X.shape != (m, N):
        raise WrongAnswer(_("make_batch: X should have shape (m, N) = {shape}").format(shape=(m, N)))
    if any(part.is_floating_point() or part.dtype == torch.bool for part in got):
        raise WrongAnswer(_("make_batch: tokens are integers"))
    return X, previous, first


@task("make_batch", points=1)
def test_tokens_are_drawn_alike(student, draw):
    """All tokens from 0 to K - 1 turn up about equally often, neighbours know nothing of each other."""
    X, _previous, _first = get_batch(student, 500, draw.integer(0, 10**6))
    if int(X.min()) < 0 or int(X.max()) >= K:
        raise WrongAnswer(_("make_batch: tokens go from 0 to K - 1"), mistakes=("tokens-out-of-range",))
    counts = torch.bincount(X.flatten(), minlength=K)
    if bool((counts == 0).any()):
        raise WrongAnswer(_("make_batch: some token never turns up"), mistakes=("tokens-left-out",))
    expected = X.numel() / K
    spread = (expected * (1 - 1 / K)) ** 0.5
    if bool(((counts - expected).abs() > 7 * spread).any()):
        raise WrongAnswer(_("make_batch: some tokens turn up much more often than others"))
    if (X[:, 1:] == X[:, :-1]).float().mean() > 0.25:
        raise WrongAnswer(_("make_batch: tokens of a sequence depend on each other"))


@task("make_batch", points=1)
def test_targets_are_cut_out_of_the_sequences(student, draw):
    """previous is x[i - 1] and first is x[0], for the positions 1 to N - 1."""
    X, previous, first = get_batch(student, draw.integer(20, 40), draw.integer(0, 10**6))
    right = experiments.targets(X)
    for got, expected, name, slips in (
        (previous, right[0], "previous", wrong_previous(X)),
        (first, right[1], "first", wrong_first(X)),
    ):
        if (found := differences(got, expected, what=name)) is not None:
            named = tuple(slip for slip, value in slips.items() if differences(got, value) is None)
            if not named and got.shape == X.shape:
                named = ("target-for-position-zero",)
            raise WrongAnswer(f"make_batch: {found}", mistakes=named)


def wrong_previous(X: torch.Tensor) -> State:
    """What known slips make of the first target."""
    return {
        "target-is-the-token-itself": X[:, 1:],
        "target-is-the-next-token": X.roll(-1, dims=1)[:, 1:],
        "targets-swapped": X[:, :1].expand(-1, N - 1),
    }


def wrong_first(X: torch.Tensor) -> State:
    """What known slips make of the second target."""
    return {
        "first-is-position-one": X[:, 1:2].expand(-1, N - 1),
        "first-of-the-batch": X[:1, 1:].expand(len(X), -1),
    }


@task("make_batch", points=1)
def test_seeds_decide(student, draw):
    """The same seed gives the same batch, another seed another one."""
    seed = draw.integer(0, 10**6)
    one, again, other = (get_batch(student, 50, s)[0] for s in (seed, seed, seed + 1))
    if not torch.equal(one, again):
        raise WrongAnswer(_("make_batch: two calls with one seed differ"), mistakes=("seed-ignored",))
    if torch.equal(one, other):
        raise WrongAnswer(_("make_batch: two seeds give the same batch"), mistakes=("seed-fixed",))


# two_target_model


def draw_linear(draw: Any, name: str, out: int, width: int) -> State:
    """Draw the parameters of one linear layer."""
    std = WEIGHT_STD / width**0.5
    return {f"{name}.weight": draw.tensor(out, width, std=std), f"{name}.bias": draw.tensor(out, std=BIAS_STD)}


def draw_attention(draw: Any, d_model: int, prefix: str = "") -> State:
    """Draw the parameters of an Attention layer."""
    W_qkv = draw_linear(draw, f"{prefix}W_qkv", 3 * d_model, d_model)
    return W_qkv | draw_linear(draw, f"{prefix}W_o", d_model, d_model)


def draw_model(draw: Any, d_model: int) -> State:
    """Draw the parameters of a TwoTargetModel."""
    state = {"token.weight": draw.tensor(K, d_model), "position.weight": draw.tensor(N, d_model)}
    state |= draw_attention(draw, d_model, "attention.")
    for answer in ("previous", "first"):
        state |= draw_linear(draw, f"{answer}.0", 64, d_model) | draw_linear(draw, f"{answer}.2", K, 64)
    return state


class Model:
    """The student's model as a function of sequences, parameters and number of heads."""

    name = "TwoTargetModel"

    def __init__(self, student: Any) -> None:
        self._student = student

    def build(self, state: State, h: int) -> Any:
        """Make a model that holds these parameters."""
        model = self._student.TwoTargetModel.make(h, state["token.weight"].shape[1])
        held = model.state()
        for name, tensor in state.items():
            if name not in held or held[name].shape != tensor.shape:
                message = _("TwoTargetModel: there is no parameter {name} of shape {shape}; see the table of parts")
                raise WrongAnswer(message.format(name=name, shape=tuple(tensor.shape)))
        model.load_state_dict({**held, **state})
        model.eval()
        return model

    def __call__(self, X: torch.Tensor, state: State, h: int) -> Any:
        """Run a fresh model."""
        return self._student.observe_as(
            (X, state, h), lambda: self.build(state, h)(X), lambda: self.build(state, h).trace(X)
        )


def compare_model(student: Any, draw: Any, m: int, h: int, d_k: int) -> None:
    """Compare answers and weights for drawn parameters."""
    X, state = draw_tokens(draw, m), draw_model(draw, h * d_k)
    compare(Model(student), experiments.two_target_model, X, state, h, atol=1e-4, rtol=1e-4)


@task("two_target_model", points=3)
def test_both_answers_and_the_weights(student, draw):
    """Logits of both answers and the weights of all heads are right, with drawn parameters."""
    compare_model(student, draw, draw.integer(3, 5), 2, draw.choice([5, 7]))


@task("two_target_model", points=1, kept_for="one head, one sequence")
def test_other_numbers_of_heads(student, draw):
    """One head, three heads, one sequence."""
    compare_model(student, draw, 1, 3, 5)
    compare_model(student, draw, 2, 1, 7)


# train


def answers_of(student: Any, model: Any, X: torch.Tensor) -> tuple[float, float]:
    """Ask a trained model for both answers to new sequences, and count in this process how many are right."""
    got = unrecorded(student, lambda: model(X))
    shape = (len(X), N - 1, K)
    if (
        not isinstance(got, (tuple, list))
        or len(got) < 2
        or any(not isinstance(part, torch.Tensor) or part.shape != shape for part in got[:2])
    ):
        raise WrongAnswer(_("train: the model should give logits of shape {shape} twice").format(shape=shape))
    return experiments.accuracies(got[0], got[1], X)


ATTEMPTS = 4
"""With some seeds a right training gets stuck; one seed that learns both answers is enough."""


def same_state(a: State, b: State) -> bool:
    """Tell whether two models hold the same parameters."""
    return differences(a, b) is None


@task("train", points=1)
def test_seed_and_steps_decide(student, draw):
    """The same seed gives the same model, another seed another one, and training changes it."""
    seed = draw.integer(0, 1000)
    start, one, again, other = (
        student.train.make(2, s, steps).state() for s, steps in ((seed, 0), (seed, 2), (seed, 2), (seed + 1, 2))
    )
    if not same_state(one, again):
        raise WrongAnswer(_("train: the same seed gives two different models"), mistakes=("training-not-seeded",))
    if same_state(one, other):
        raise WrongAnswer(_("train: two seeds give the same model"), mistakes=("seed-fixed",))
    if same_state(start, one):
        raise WrongAnswer(_("train: after two steps nothing has changed"), mistakes=("optimizer-never-steps",))


@task("train", points=2)
def test_the_model_learns_both_answers(student, draw):
    """After a short training the answers to new data are right far more often than by guessing."""
    for _attempt in range(ATTEMPTS):
        model = student.train.make(2, draw.integer(0, 1000), 200)
        model.eval()
        previous, first = answers_of(student, model, draw_tokens(draw, 300))
        knows_previous, knows_first = previous > 0.25, first > 0.9
        if knows_previous and knows_first:
            return
    if knows_first or knows_previous:
        message = _("train: one of the two answers is learned, the other is not")
        raise WrongAnswer(message, mistakes=("loss-of-one-target",), fraction=0.25)
    raise WrongAnswer(_("train: after 200 steps new data is answered hardly better than by guessing"))


# attention_profile


@task("attention_profile", points=2)
def test_profiles_are_means_over_positions_from_two_on(student, draw):
    """For each head the mean weight on i - 1 and on 0; no two sizes are equal."""
    m, h, n = draw.distinct(m=(2, 4), h=(3, 5), n=(6, 9))
    weights = draw.tensor(m, h, n, n, std=2.0).softmax(dim=-1)
    compare(student.attention_profile, experiments.attention_profile, weights)  # (h, 2)


@task("attention_profile", points=1, kept_for="sizes that agree by chance")
def test_profiles_are_right_where_shapes_cannot_tell(student, draw):
    """With as many sequences as heads and positions, the axes are still not confused."""
    n = draw.integer(4, 6)
    compare(student.attention_profile, experiments.attention_profile, draw.tensor(n, n, n, n, std=2.0).softmax(dim=-1))


# ablate_head


class Ablation:
    """The student's ablation as a function of the layer's parameters."""

    name = "ablate_head"

    def __init__(self, student: Any) -> None:
        self._student = student

    def layer(self, state: State, h: int) -> Any:
        """Make an Attention layer with these parameters."""
        made = self._student.Attention.make(state["W_o.bias"].numel(), h)
        made.load_state_dict(state)
        return made

    def __call__(self, x: torch.Tensor, i: int, state: State, h: int) -> Any:
        """Take head i out of a fresh layer."""
        function = self._student.ablate_head
        return self._student.observe_as(
            (x, i, state, h),
            lambda: function(self.layer(state, h), x, i),
            lambda: function.trace(self.layer(state, h), x, i),
        )


@task("ablate_head", points=2)
def test_one_head_is_taken_away(student, draw):
    """Only what this head found is missing: no value, no bias of its values, and W_o's bias stays."""
    m, n, h, d_k = draw.distinct(m=(2, 3), n=(6, 8), h=(4, 5), d_k=(5, 7))
    state, x = draw_attention(draw, h * d_k), draw.tensor(m, n, h * d_k)
    compare(Ablation(student), experiments.ablate_head, x, draw.integer(1, h - 2), state, h)


@task("ablate_head", points=1, kept_for="the first head and the last")
def test_the_first_and_the_last_head(student, draw):
    """Head 0 and the last head can be taken away too, in a layer with two heads and in one with three."""
    for h in (2, 3):
        state, x = draw_attention(draw, h * 5), draw.tensor(2, 7, h * 5)
        for i in (0, h - 1):
            compare(Ablation(student), experiments.ablate_head, x, i, state, h)


@task("ablate_head", points=1, kept_for="heads that are not put back, which the test names itself")
def test_the_layer_is_whole_again(student, draw):
    """Taking away one head after the other from the same layer leaves it as it was."""
    h = 3
    state, x = draw_attention(draw, h * 5), draw.tensor(2, 7, h * 5)
    ablation = Ablation(student)
    compare(ablation, experiments.ablate_head, x, 1, state, h)
    layer = ablation.layer(state, h)
    for i in range(h):
        got = unrecorded(student, lambda i=i: student.ablate_head(layer, x, i))
        if differences(got, experiments.ablate_head(x, i, state, h)) is not None:
            raise WrongAnswer(
                _("ablate_head: heads that were taken away before are still missing"),
                mistakes=("ablation-left-behind",),
            )
    if differences(layer.state(), state) is not None:
        raise WrongAnswer(
            _("ablate_head: the layer has other parameters afterwards"), mistakes=("ablation-left-behind",)
        )


# name_roles


def draw_heads(draw: Any, kinds: list[tuple[float, float, float, float]]) -> tuple[torch.Tensor, torch.Tensor]:
    """Shuffle heads, each (weight on i - 1, on 0, accuracy of previous, of first without it), a little changed."""
    draw.rng.shuffle(kinds)
    table = torch.tensor(kinds)
    moved = (table + 0.01 * draw.tensor(*table.shape).tanh()).clamp(0, 1)
    return moved[:, :2], moved[:, 2:]


LOOKS_BACK = (0.96, 0.02, 0.13, 0.99)
LOOKS_TO_START = (0.02, 0.97, 0.99, 0.16)


@task("name_roles", points=2)
def test_both_witnesses_are_heard(student, draw):
    """Heads that look and are missed get a name; heads that only look, or are only missed, do not."""
    unmissed, unfocused = (0.95, 0.03, 0.99, 0.99), (0.5, 0.4, 0.14, 0.99)
    profile, ablated = draw_heads(draw, [LOOKS_BACK, LOOKS_TO_START, unmissed, unfocused, (0.03, 0.95, 0.99, 0.99)])
    compare(student.name_roles, experiments.name_roles, profile, torch.tensor([0.995, 0.998]), ablated)


@task("name_roles", points=1)
def test_a_partial_loss_and_a_general_one_prove_nothing(student, draw):
    """A head whose answer falls to a half, or that both answers fall without, has no name."""
    partial, general = (0.02, 0.96, 0.99, 0.46), (0.97, 0.02, 0.13, 0.16)
    profile, ablated = draw_heads(draw, [LOOKS_BACK, LOOKS_TO_START, partial, general])
    compare(student.name_roles, experiments.name_roles, profile, torch.tensor([0.995, 0.998]), ablated)


@task("name_roles", points=1)
def test_what_was_never_known_cannot_be_lost(student, draw):
    """In a model that never learned one answer, no head has the role for it."""
    profile, ablated = draw_heads(draw, [LOOKS_BACK, LOOKS_TO_START, (0.95, 0.03, 0.36, 0.99)])
    low = 0.3 + 0.1 * draw.rng.random()
    for full in ([low, 0.998], [0.998, low]):
        kept = torch.minimum(ablated, torch.tensor(full))
        compare(student.name_roles, experiments.name_roles, profile, torch.tensor(full), kept)
