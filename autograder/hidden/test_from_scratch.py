"""Hidden tests of multi-head attention from scratch: one test for each claim, inputs drawn afresh in every run.

Every test calls the student's code on all of its inputs before it complains: each call rules some mistakes out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from headcheck.diagnosis.match import same_value
from headcheck.grading.checks import Mismatch, WrongAnswer, compare, differences, expect_raises, task
from headcheck.i18n import _
from headcheck.jail.errors import StudentError

from solutions import from_scratch
from solutions.inputs import layer_state

PREREQUISITES = {"multi_head_attention": ("split_heads", "merge_heads", "attention")}

Inputs = tuple[Any, ...]
State = dict[str, torch.Tensor]


def compare_each(
    function: Callable[..., Any], reference: Callable[..., Any], inputs: Sequence[Inputs], parts: Sequence[str]
) -> None:
    """Compare on all inputs, then complain about the first that came out wrong."""
    wrong: list[WrongAnswer] = []
    for args in inputs:
        try:
            compare(function, reference, *args, parts=parts)
        except WrongAnswer as error:
            wrong.append(error)
    if wrong:
        raise wrong[0]


def draw_sizes(draw: Any) -> tuple[int, ...]:
    """Draw B, n, h and d_k, all different, d_k no square number, and n above h."""
    return draw.distinct(B=(2, 3), n=(6, 8), h=(2, 4), d_k=(5, 7))


# split_heads


@task("split_heads", points=1)
def test_every_head_holds_its_columns_of_every_token(student, draw):
    """Head i holds its own block of columns, token by token; no two sizes are equal."""
    B, n, h, d_k = draw_sizes(draw)
    compare(student.split_heads, from_scratch.split_heads, draw.tensor(B, n, h * d_k), h)  # (B, h, n, d_k)


@task("split_heads", points=1, kept_for="sizes that agree by chance")
def test_heads_are_right_where_shapes_cannot_tell(student, draw):
    """With as many tokens as heads, tokens and heads are still not confused."""
    n, d_k = draw.distinct(n=(3, 4), d_k=(5, 7))
    compare(student.split_heads, from_scratch.split_heads, draw.tensor(2, n, n * d_k), n)  # (B, n, n, d_k)


# merge_heads


@task("merge_heads", points=1)
def test_every_row_holds_all_heads_of_one_token(student, draw):
    """Row t is head 0 of token t, then head 1 of token t, and so on; no two sizes are equal."""
    B, n, h, d_k = draw_sizes(draw)
    compare(student.merge_heads, from_scratch.merge_heads, draw.tensor(B, h, n, d_k))  # (B, n, h * d_k)


@task("merge_heads", points=1, kept_for="sizes that agree by chance")
def test_rows_are_right_where_shapes_cannot_tell(student, draw):
    """With as many tokens as heads, tokens and heads are still not confused."""
    n, d_k = draw.distinct(n=(3, 4), d_k=(5, 7))
    compare(student.merge_heads, from_scratch.merge_heads, draw.tensor(2, n, n, d_k))  # (B, n, h * d_k)


# attention


def draw_padding(draw: Any, B: int, n_k: int, row: int) -> torch.Tensor:
    """Draw a ragged padding mask (B, n_k) in which the sentence of this number is padded."""
    pad = draw.padding(B, n_k)
    shortest = int(pad.sum(1).argmax())
    order = list(range(B))
    order[row], order[shortest] = order[shortest], order[row]
    return pad[order]


def draw_heads(draw: Any, B: int, n_q: int, n_k: int, h: int, d_k: int, padded: int | None = None) -> Inputs:
    """Draw Q (B, h, n_q, d_k), K and V (B, h, n_k, d_k) and None or a mask (B, n_k) with one sentence surely padded."""
    K, V = draw.tensor(B, h, n_k, d_k), draw.tensor(B, h, n_k, d_k)
    pad = None if padded is None else draw_padding(draw, B, n_k, padded)
    return draw.tensor(B, h, n_q, d_k), K, V, pad


@task("attention", points=2, kept_for="telling mistakes of the mask from all others")
def test_every_head_attends_by_itself(student, draw):
    """Weights and context are right for as many keys as queries, for more keys, and for sizes that agree by chance."""
    B, n, h, d_k = draw_sizes(draw)
    compare_each(
        student.attention,
        from_scratch.attention,
        [
            draw_heads(draw, B, n, n, h, d_k),
            draw_heads(draw, B, n, n + draw.integer(2, 4), h, d_k),
            draw_heads(draw, 2, n, 3, 3, 3),  # as many keys as heads and columns: transposes of other axes fit
            draw_heads(draw, 1, n, n, h, d_k),  # axes of size one stay
            draw_heads(draw, 2, 1, n, 1, d_k),
        ],
        (_("the context"), _("the weights")),
    )


@task("attention", points=2)
def test_padding_gets_no_weight(student, draw):
    """Padded keys have weight 0 in every head and the others share all of it, in short sentences and in full ones."""
    B, n, h, d_k = draw_sizes(draw)
    compare_each(
        student.attention,
        from_scratch.attention,
        [
            draw_heads(draw, B, n, n, h, d_k, padded=0),
            draw_heads(draw, B, n, n + draw.integer(2, 4), h, d_k, padded=-1),
            draw_heads(draw, 4, 4, n, 4, d_k, padded=0),  # as many sentences as heads and queries
        ],
        (_("the context"), _("the weights")),
    )


# multi_head_attention


class Layer:
    """The student's layer as one function of its inputs, its parameters and its number of heads."""

    name = "MultiHeadAttention"

    def __init__(self, student: Any) -> None:
        self._student = student

    def build(self, state: State, h: int) -> Any:
        """Make a layer in evaluation mode that holds these parameters."""
        layer = self._student.MultiHeadAttention.make(state["W_o.bias"].numel(), h)
        held = layer.state()
        for name, tensor in state.items():
            if name not in held or held[name].shape != tensor.shape:
                message = _("{layer}: there is no parameter {name} of shape {shape}; use nn.Linear(d_model, d_model)")
                raise WrongAnswer(message.format(layer=self.name, name=name, shape=tuple(tensor.shape)))
        layer.load_state_dict({**held, **state})
        layer.eval()
        return layer

    def __call__(
        self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, pad: torch.Tensor | None, state: State, h: int
    ) -> Any:
        """Run a fresh layer once, as `solutions.from_scratch.multi_head_attention` does."""
        given = (q, k, v) if pad is None else (q, k, v, pad)
        return self._student.observe_as(
            (q, k, v, pad, state, h),
            lambda: self.build(state, h)(*given),
            lambda: self.build(state, h).trace(*given),
        )


def draw_layer(draw: Any, B: int, n_q: int, n_k: int, h: int, d_k: int, padded: int | None = None) -> Inputs:
    """Draw three different inputs, None or a mask with one sentence surely padded, parameters and h."""
    q, k, v = draw.tensor(B, n_q, h * d_k), draw.tensor(B, n_k, h * d_k), draw.tensor(B, n_k, h * d_k)
    pad = None if padded is None else draw_padding(draw, B, n_k, padded)
    return q, k, v, pad, layer_state(draw, h * d_k), h


def compare_layer(student: Any, *inputs: Inputs) -> None:
    """Compare the student's layer with the reference on all inputs."""
    parts = (_("the output"), _("the weights"))
    compare_each(Layer(student), from_scratch.multi_head_attention, inputs, parts)


@task("multi_head_attention", points=1, kept_for="a gentle first step")
def test_self_attention(student, draw):
    """Output and weights are right when every sentence attends to itself."""
    B, n, h, d_k = draw_sizes(draw)
    x, state = draw.tensor(B, n, h * d_k), layer_state(draw, h * d_k)
    compare_layer(student, (x, x, x, None, state, h))


@task("multi_head_attention", points=2, kept_for="telling mistakes of the mask from all others")
def test_query_key_and_value_each_play_their_part(student, draw):
    """Three different inputs, with as many keys as queries and with more; sizes that agree by chance change nothing."""
    B, n, h, d_k = draw_sizes(draw)
    compare_layer(
        student,
        draw_layer(draw, B, n, n, h, d_k),
        draw_layer(draw, B, n, n + draw.integer(2, 4), h, d_k),
        draw_layer(draw, 2, n, 3, 3, 3),  # as many keys as heads and columns: transposes of other axes fit
    )


@task("multi_head_attention", points=2)
def test_nobody_looks_at_padding(student, draw):
    """Padded keys have no part in the result, in short sentences and in full ones, for every head and every query."""
    B, n, h, d_k = draw_sizes(draw)
    compare_layer(
        student,
        draw_layer(draw, B, n, n, h, d_k, padded=0),
        draw_layer(draw, B, n, n + draw.integer(2, 4), h, d_k, padded=-1),
        draw_layer(draw, 4, 4, n, 4, d_k, padded=0),  # as many sentences as heads and queries
    )


@task("multi_head_attention", points=1)
def test_axes_of_size_one_stay(student, draw):
    """One sentence, one head, one query or one key: the result is right and keeps all its axes."""
    n, h, d_k = draw.distinct(n=(4, 6), h=(2, 3), d_k=(5, 7))
    compare_layer(
        student,
        draw_layer(draw, 1, n, n, h, d_k),
        draw_layer(draw, 2, n, n, 1, d_k),
        draw_layer(draw, 2, 1, n, h, d_k),
    )


@task("multi_head_attention", points=1)
def test_sizes_that_do_not_fit_are_refused(student, draw):
    """The constructor refuses a number of heads that does not divide d_model, and no other."""
    h, d_k = draw.distinct(h=(3, 5), d_k=(5, 7))
    d_model = h * d_k + draw.integer(1, h - 1)
    fits = Maker(student).makes(h * d_k, h)
    try:
        expect_raises(Maker(student), d_model, h)
    except Mismatch as wrong:
        named = () if wrong.got is not None else (REFUSAL,) if fits else ("divisibility-check-inverted",)
        raise WrongAnswer(wrong.message, mistakes=named) from wrong
    student.MultiHeadAttention.make(h * d_k, h)


class Maker:
    """The student's constructor as a function that returns None."""

    name = "MultiHeadAttention"

    def __init__(self, student: Any) -> None:
        self._student = student

    def __call__(self, d_model: int, h: int) -> None:
        """Make a layer."""
        self._student.MultiHeadAttention.make(d_model, h)

    def makes(self, d_model: int, h: int) -> bool:
        """Tell whether a layer of these sizes is made."""
        try:
            self(d_model, h)
        except StudentError:
            return False
        return True


REFUSAL = "no-divisibility-check"


@task("multi_head_attention", points=1)
def test_a_layer_can_be_used_again_and_trained(student, draw):
    """A second call gives the same, the mask stays as it was, and all four layers get gradients."""
    B, n, h, d_k = draw_sizes(draw)
    q, k, v, pad, state, _h = draw_layer(draw, B, n, n, h, d_k, padded=0)
    layer = Layer(student).build(state, h)
    learns = check_gradients(layer, q, k, v, pad, from_scratch.multi_head_attention(q, k, v, pad, state, h)[0])
    check_repetition(layer, q, k, v, pad, state, h, learns)
    if learns:
        raise learns
    advise_on_half_precision(student, state, h, q, k, v, pad)


def check_repetition(
    layer: Any,
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    pad: torch.Tensor,
    state: State,
    h: int,
    learns: WrongAnswer | None,
) -> None:
    """Call a layer twice with the same inputs and the same mask, which stay in the student's process."""
    mask = layer.make("W_q.weight.new_tensor", pad.float().tolist()).make("bool")
    theirs = [layer.make("W_q.weight.new_tensor", x.tolist()) for x in (q, k, v)]
    first, shown = pair(layer.method("__call__", *theirs, mask))
    if differences(mask.method("clone"), pad) is not None:
        raise WrongAnswer(
            _("MultiHeadAttention: the mask that was passed is another one after the call"),
            mistakes=("mask-changed-in-place",),
        )
    for name, kept, sent in zip("qkv", theirs, (q, k, v), strict=True):
        if differences(kept.method("clone"), sent) is not None:
            raise WrongAnswer(
                _("MultiHeadAttention: the {name} that was passed is another one after the call").format(name=name),
                mistakes=("input-changed-in-place",),
            )
    second, shown_again = pair(layer.method("__call__", *theirs, mask))
    if same_value((second, shown_again), (first, shown)):
        return
    expected = from_scratch.multi_head_attention(q, k, v, pad, state, h)[1]
    made_anew = learns is not None and differences(shown, expected) is not None
    dropped = differences(shown, expected) is None or is_dropped(shown, expected)
    names = ("layers-recreated-in-forward",) if made_anew else ("dropout-in-eval",) if dropped else ()
    raise WrongAnswer(
        _("MultiHeadAttention: two calls in evaluation mode with the same inputs give different results"),
        mistakes=names,
    )


def pair(got: Any) -> tuple[Any, Any]:
    """Take output and weights apart; anything else counts as an output without weights."""
    return (got[0], got[1]) if isinstance(got, (tuple, list)) and len(got) == 2 else (got, None)


def is_dropped(weights: Any, expected: torch.Tensor) -> bool:
    """Tell whether weights are the expected ones, some of them zero and the others scaled up alike."""
    if not isinstance(weights, torch.Tensor) or weights.shape != expected.shape:
        return False
    ratio = (weights / expected)[(expected > 1e-4) & (weights != 0)]
    return bool(ratio.numel()) and bool((ratio - ratio.median()).abs().max() < 1e-3) and bool((weights == 0).any())


def check_gradients(
    layer: Any, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, pad: torch.Tensor, expected: torch.Tensor
) -> WrongAnswer | None:
    """Send an output backwards; a layer whose weight gets no gradient can learn nothing."""
    try:
        made = layer.gradients(torch.ones_like(q), q, k, v, pad)
        found, is_right = made.parameters, differences(made.output, expected) is None
    except StudentError as error:
        if "does not require grad" not in error.message:
            return None  # the call itself fails, which other tests tell
        found, is_right = {}, False
    dead = [name for name in from_scratch.LAYERS if not is_moved(found.get(f"{name}.weight"))]
    if not dead:
        return None
    return WrongAnswer(
        _("MultiHeadAttention: no gradient reaches {layers}, so training cannot change it").format(
            layers=", ".join(dead)
        ),
        mistakes=("gradient-detached",) if is_right or len(dead) == len(from_scratch.LAYERS) else (),
    )


def is_moved(gradient: torch.Tensor | None) -> bool:
    """Tell whether a gradient is there and not zero."""
    return gradient is not None and bool((gradient != 0).any())


def advise_on_half_precision(
    student: Any, state: State, h: int, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, pad: torch.Tensor
) -> None:
    """Run the layer once in half precision; what happens costs no points."""
    layer = Layer(student).build(state, h)
    try:
        layer.do("half")
        layer.method("__call__", q.half(), k.half(), v.half(), pad)
    except StudentError as error:
        if "Half without overflow" in error.message:
            student.advise("mask-fp16-overflow")


# count_parameters


@task("count_parameters", points=2)
def test_parameters_are_counted(student, draw):
    """The number of parameters, for several widths and heads; the number of heads changes nothing."""
    d_k = draw.integer(5, 9)
    for h in (1, 3, 4):
        compare(student.count_parameters, from_scratch.count_parameters, d_k * h, h)
        compare(student.count_parameters, from_scratch.count_parameters, 12 * d_k, h)


# attention_cost


@task("attention_cost", points=2)
def test_arithmetic_and_memory(student, draw):
    """Operations and weights for several heads; no two sizes are equal."""
    n, h, d_k = draw.distinct(n=(20, 90), h=(3, 5), d_k=(6, 9))
    compare(student.attention_cost, from_scratch.attention_cost, n, h * d_k, h)


@task("attention_cost", points=1, kept_for="the same width for several heads")
def test_cost_for_any_number_of_heads(student, draw):
    """With one width, more heads cost more memory and no more operations."""
    n, d_k = draw.distinct(n=(20, 90), d_k=(5, 9))
    for h in (1, 2, 6):
        compare(student.attention_cost, from_scratch.attention_cost, n, 6 * d_k, h)


# one_head_by_hand


@task("one_head_by_hand", points=3)
def test_one_head_needs_its_rows_only(student, draw):
    """Context and weights of one head among several; no two sizes are equal."""
    B, n, h, d_k = draw.distinct(B=(2, 3), n=(6, 8), h=(4, 5), d_k=(5, 7))
    x, state = draw.tensor(B, n, h * d_k), layer_state(draw, h * d_k)
    for i in (draw.integer(2, h - 2), h - 1):  # from head 2 on: neither the head before nor the next one is head 0
        compare(student.one_head_by_hand, from_scratch.one_head_by_hand, x, state, h, i)


@task("one_head_by_hand", points=1, kept_for="plain attention")
def test_one_head_is_plain_attention(student, draw):
    """With h = 1 the one head is the whole of attention before W_o."""
    B, n, d_model = draw.distinct(B=(2, 3), n=(6, 8), d_model=(10, 14))
    compare(
        student.one_head_by_hand,
        from_scratch.one_head_by_hand,
        draw.tensor(B, n, d_model),
        layer_state(draw, d_model),
        1,
        0,
    )
