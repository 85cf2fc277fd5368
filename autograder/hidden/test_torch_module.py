"""Hidden tests about torch's own attention: one test for each claim, all inputs drawn afresh in every run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from headcheck.grading.checks import WrongAnswer, compare, differences, task
from headcheck.i18n import _
from headcheck.jail.errors import StudentError

from solutions import torch_module
from solutions.inputs import BIAS_STD, WEIGHT_STD, attention_state

State = dict[str, torch.Tensor]


def draw_sizes(draw: Any) -> tuple[int, ...]:
    """Draw B, n, h and d_k, all different, d_k no square number, and n above h."""
    return draw.distinct(B=(2, 3), n=(6, 8), h=(2, 4), d_k=(5, 7))


class OnLayer:
    """A function of the student whose first argument is a layer with given parameters, as a function of those."""

    def __init__(self, student: Any, name: str, finish: Callable[..., Any] | None = None) -> None:
        self._student, self.name = student, name
        self._finish = finish

    def __call__(self, *args: Any) -> Any:
        """Call with the arguments of the reference: inputs, then state and h."""
        *inputs, state, h = args
        call = getattr(self._student, self.name)
        made: list[Any] = []

        def run() -> Any:
            made.append(self._student.make_mha.make(state["out_proj.bias"].numel(), h))
            made[0].load_state_dict(state)
            got = call(made[0], *inputs)
            return self._finish(got, *inputs) if self._finish else got

        return self._student.observe_as(args, run, lambda: call.trace(made[0], *inputs))


def unrecorded(student: Any, call: Callable[[], Any]) -> Any:
    """Make a call that diagnosis shall not see, because it is none of the task's main function."""
    before = len(student.calls)
    try:
        return call()
    finally:
        del student.calls[before:]


# copy_weights


def draw_layers(draw: Any, d_model: int, kdim: int, vdim: int) -> State:
    """Draw the parameters of FourLayers."""
    state = {}
    for layer, width in (("W_q", d_model), ("W_k", kdim), ("W_v", vdim), ("W_o", d_model)):
        state[f"{layer}.weight"] = draw.tensor(d_model, width, std=WEIGHT_STD / width**0.5)
        state[f"{layer}.bias"] = draw.tensor(d_model, std=BIAS_STD)
    return state


def draw_module(draw: Any, d_model: int, kdim: int, vdim: int) -> State:
    """Draw other parameters for an nn.MultiheadAttention, packed or not."""
    return torch_module.copy_weights(
        draw_layers(draw, d_model, kdim, vdim), {"in_proj_weight": torch.empty(0)} if kdim == d_model == vdim else {}
    )


class Copier:
    """The student's two copying functions on parameters: what is in the target afterwards."""

    name = "copy_weights"

    def __init__(self, student: Any) -> None:
        self._student = student

    def _layers(self, ours: State) -> Any:
        d_model, widths = ours["W_q.weight"].shape[0], [ours[f"{name}.weight"].shape[1] for name in ("W_k", "W_v")]
        made = self._student.FourLayers.make(d_model, *widths)
        made.load_state_dict(ours)
        return made

    def _module(self, state: State, ours: State) -> Any:
        d_model, widths = ours["W_q.weight"].shape[0], [ours[f"{name}.weight"].shape[1] for name in ("W_k", "W_v")]
        made = self._student.make_mha.make(d_model, 1, *widths)
        made.load_state_dict(state)
        return made

    def __call__(self, ours: State, before: State) -> State:
        """Copy and return the parameters of torch's layer."""
        parts: list[Any] = []

        def run() -> State:
            parts.extend([self._layers(ours), self._module(before, ours)])
            self._student.copy_weights.make(*parts)
            return parts[1].state()

        return self._student.observe_as((ours, before), run, lambda: self._student.copy_weights.trace(*parts))

    def shared(self, ours: State, before: State) -> bool:
        """Tell whether a change in the four layers shows in torch's layer after the copy."""
        source, target = self._layers(ours), self._module(before, ours)
        self._student.copy_weights.make(source, target)
        copied = target.state()
        source.load_state_dict({name: tensor + 1 for name, tensor in ours.items()})
        return differences(target.state(), copied) is not None

    def back(self, state: State, ours: State, before: State) -> State:
        """Copy back and return the parameters of the four layers."""
        source, target = self._module(state, ours), self._layers(before)
        self._student.copy_back.make(source, target)
        return target.state()


@task("copy_weights", points=2, kept_for="the usual form of the layer")
def test_all_parameters_arrive(student, draw):
    """in_proj holds W_q, W_k, W_v one above the other, out_proj holds W_o, with all biases."""
    d_model = draw.choice([4, 6, 8])
    compare(
        Copier(student),
        torch_module.copy_weights,
        draw_layers(draw, d_model, d_model, d_model),
        draw_module(draw, d_model, d_model, d_model),
    )


@task("copy_weights", points=1)
def test_widths_of_their_own(student, draw):
    """With other widths of keys and values there is no in_proj_weight, and three weights take its place."""
    d_model, kdim, vdim = draw.distinct(d_model=(4, 8), kdim=(3, 9), vdim=(3, 9))
    compare(
        Copier(student),
        torch_module.copy_weights,
        draw_layers(draw, d_model, kdim, vdim),
        draw_module(draw, d_model, kdim, vdim),
    )


@task("copy_weights", points=1, kept_for="memory that is shared, which the test names itself")
def test_the_copy_is_independent(student, draw):
    """A right copy stays as it is when the source changes."""
    ours, before = draw_layers(draw, 4, 4, 4), draw_module(draw, 4, 4, 4)
    compare(Copier(student), torch_module.copy_weights, ours, before)
    if Copier(student).shared(ours, before):
        message = _("copy_weights: after the copy, a change of ours changes mha too: they share their memory")
        raise WrongAnswer(message, mistakes=("copy-shares-memory",))


@task("copy_weights", points=1, kept_for="the second function of the task")
def test_the_way_back(student, draw):
    """copy_back puts all parameters back, with and without in_proj_weight."""
    for sizes in ((6, 6, 6), draw.distinct(d_model=(4, 8), kdim=(3, 9), vdim=(3, 9))):
        ours, other = draw_layers(draw, *sizes), draw_layers(draw, *sizes)
        state = torch_module.copy_weights(ours, draw_module(draw, *sizes))
        try:
            got = Copier(student).back(state, ours, other)
        except StudentError as error:
            raise WrongAnswer(_("copy_back: it stopped with {error}").format(error=error.type_name)) from error
        if (found := differences(got, ours, what=_("the state_dict"))) is not None:
            raise WrongAnswer(f"copy_back: {found}")


# head_weights


@task("head_weights", points=1)
def test_every_head_has_its_weights(student, draw):
    """All heads come back, none averaged; no two sizes are equal."""
    B, n, h, d_k = draw_sizes(draw)
    state = attention_state(draw, h * d_k)
    compare(OnLayer(student, "head_weights"), torch_module.head_weights, draw.tensor(B, n, h * d_k), state, h)


@task("head_weights", points=1, kept_for="sizes that agree by chance")
def test_weights_are_right_where_shapes_cannot_tell(student, draw):
    """With as many sentences as heads and tokens, the axes are still not confused."""
    n, d_k = draw.distinct(n=(3, 4), d_k=(5, 7))
    state = attention_state(draw, n * d_k)
    compare(OnLayer(student, "head_weights"), torch_module.head_weights, draw.tensor(n, n, n * d_k), state, n)


# padding_mask


def only_real_rows(got: Any, x: torch.Tensor, lengths: torch.Tensor) -> Any:
    """Set to zero what padding queries got; leave alone what is not a pair of tensors that fit."""
    if not (isinstance(got, (tuple, list)) and len(got) == 2 and all(isinstance(part, torch.Tensor) for part in got)):
        return got
    out, weights = got
    B, n = x.shape[:2]
    if out.shape != x.shape or weights.ndim != 4 or (weights.shape[0], *weights.shape[2:]) != (B, n, n):
        return got
    return torch_module.without_padding_rows(out, weights, lengths)


def compare_padded(student: Any, draw: Any, B: int, n: int, h: int, d_k: int) -> None:
    """Compare output and weights of real tokens."""
    state = attention_state(draw, h * d_k)
    # One sentence is full, and one has two tokens of padding or more: one token too many must show.
    lengths = torch.tensor([n, draw.integer(2, n - 2), *(draw.integer(2, n) for _ in range(B - 2))])
    function = OnLayer(student, "padding_mask", only_real_rows)
    compare(function, torch_module.padding_mask, draw.tensor(B, n, h * d_k), lengths, state, h)


@task("padding_mask", points=2)
def test_nobody_looks_at_padding(student, draw):
    """Real tokens look at all real tokens and at no padding, in short sentences and in a full one."""
    B, n, h, d_k = draw_sizes(draw)
    compare_padded(student, draw, B, n, h, d_k)


@task("padding_mask", points=1, kept_for="sizes that agree by chance")
def test_padding_is_hidden_where_shapes_cannot_tell(student, draw):
    """With as many sentences as tokens, the mask still lies along the keys of its own sentence."""
    n, h, d_k = draw.distinct(n=(4, 5), h=(2, 3), d_k=(5, 7))
    compare_padded(student, draw, n, n, h, d_k)


@task("padding_mask", points=2, kept_for="the second function of the task")
def test_masks_are_repeated_sentence_by_sentence(student, draw):
    """Row b * h + i of the repeated mask belongs to sentence b, whatever the sizes."""
    for B, n_q, n_k, h in (draw.distinct(B=(2, 3), n_q=(4, 5), n_k=(6, 7), h=(8, 9)), (3, 3, 3, 3)):
        blocked = draw.tensor(B, n_q, n_k) > 0
        try:
            got = unrecorded(student, lambda blocked=blocked, h=h: student.masks_for_heads(blocked, h))
        except StudentError as error:
            raise WrongAnswer(_("masks_for_heads: it stopped with {error}").format(error=error.type_name)) from error
        if (found := differences(got, torch_module.masks_for_heads(blocked, h), what=_("the mask"))) is not None:
            turned = differences(got, blocked.repeat(h, 1, 1)) is None
            raise WrongAnswer(f"masks_for_heads: {found}", mistakes=("mask-repeated-in-wrong-order",) * turned)


# sdpa


def compare_sdpa(student: Any, draw: Any, B: int, n_q: int, n_k: int, h: int, d_k: int) -> None:
    """Compare the context for drawn heads and padding."""
    Q, K, V = draw.tensor(B, h, n_q, d_k), draw.tensor(B, h, n_k, d_k), draw.tensor(B, h, n_k, d_k)
    compare(student.sdpa, torch_module.sdpa, Q, K, V, draw.padding(B, n_k))


@task("sdpa", points=2)
def test_the_function_gets_the_right_mask(student, draw):
    """Padding is hidden and real tokens are seen, for more keys than queries."""
    B, n, h, d_k = draw_sizes(draw)
    compare_sdpa(student, draw, B, n, n + draw.integer(2, 4), h, d_k)


@task("sdpa", points=1, kept_for="sizes that agree by chance")
def test_the_mask_is_right_where_shapes_cannot_tell(student, draw):
    """With as many sentences as heads, queries and keys, the mask still lies along the keys of its own sentence."""
    n = draw.integer(3, 4)
    compare_sdpa(student, draw, n, n, n, n, 5)


# cross_attention


def compare_cross(student: Any, draw: Any, B: int, n_q: int, n_k: int, h: int, d_k: int) -> None:
    """Compare output and weights for drawn sequences."""
    decoder, encoder = draw.tensor(B, n_q, h * d_k), draw.tensor(B, n_k, h * d_k)
    state, pad = attention_state(draw, h * d_k), draw.padding(B, n_k)
    compare(OnLayer(student, "cross_attention"), torch_module.cross_attention, decoder, encoder, pad, state, h)


@task("cross_attention", points=2)
def test_the_decoder_asks_and_the_encoder_answers(student, draw):
    """One row for each query; the encoder's padding is hidden."""
    B, n, h, d_k = draw_sizes(draw)
    compare_cross(student, draw, B, n, n + draw.integer(2, 4), h, d_k)


@task("cross_attention", points=1, kept_for="sizes that agree by chance")
def test_roles_are_kept_where_shapes_cannot_tell(student, draw):
    """With sequences of one length, who asks and who is asked still matters."""
    B, n, h, d_k = draw_sizes(draw)
    compare_cross(student, draw, B, n, n, h, d_k)


# batch_invariance


def compare_invariance(student: Any, draw: Any, masked: bool) -> None:
    """Compare the differences for drawn sentences, and once more with every difference's sign turned round.

    A maximum that minds the sign is right in one of the two at most.
    """
    B, n, h, d_k = draw.distinct(B=(3, 4), n=(6, 8), h=(2, 2), d_k=(5, 7))
    state, lengths = attention_state(draw, h * d_k), torch.tensor(draw.lengths(B, n))
    mirrored = state | {name: -state[name] for name in ("out_proj.weight", "out_proj.bias")}
    function, x = OnLayer(student, "batch_invariance"), draw.tensor(B, n, h * d_k)
    for parameters in (state, mirrored):
        compare(function, torch_module.batch_invariance, x, lengths, masked, parameters, h)


@task("batch_invariance", points=2, kept_for="what padding does without a mask")
def test_without_a_mask_sentences_notice_the_batch(student, draw):
    """The differences are those that padding without a mask makes, sentence by sentence."""
    compare_invariance(student, draw, masked=False)


@task("batch_invariance", points=2)
def test_with_the_mask_nobody_notices_the_batch(student, draw):
    """With the mask the differences vanish, and without it they do not."""
    compare_invariance(student, draw, masked=True)
    compare_invariance(student, draw, masked=False)
