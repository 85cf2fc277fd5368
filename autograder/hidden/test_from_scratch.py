"""Hidden tests of multi-head attention from scratch: one test for each claim, inputs drawn afresh in every run.

Every test calls the student's code on all of its inputs before it complains: each call rules some mistakes out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from headcheck.grading.checks import WrongAnswer, compare, differences, expect_raises, task
from headcheck.i18n import _
from headcheck.jail.errors import StudentError

from solutions import from_scratch
from solutions.inputs import layer_state

Inputs = tuple[Any, ...]


def compare_each(function: Callable[..., Any], reference: Callable[..., Any], inputs: Sequence[Inputs]) -> None:
    """Compare on all inputs, then complain about the first that came out wrong."""
    wrong: list[WrongAnswer] = []
    for args in inputs:
        try:
            compare(function, reference, *args)
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


@task("split_heads", points=1)
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


@task("merge_heads", points=1)
def test_rows_are_right_where_shapes_cannot_tell(student, draw):
    """With as many tokens as heads, tokens and heads are still not confused."""
    n, d_k = draw.distinct(n=(3, 4), d_k=(5, 7))
    compare(student.merge_heads, from_scratch.merge_heads, draw.tensor(2, n, n, d_k))  # (B, n, h * d_k)


# attention


def draw_heads(draw: Any, B: int, n_q: int, n_k: int, h: int, d_k: int, padded: bool = False) -> Inputs:
    """Draw Q (B, h, n_q, d_k), K and V (B, h, n_k, d_k) and a padding mask (B, n_k) or None."""
    K, V = draw.tensor(B, h, n_k, d_k), draw.tensor(B, h, n_k, d_k)
    return draw.tensor(B, h, n_q, d_k), K, V, draw.padding(B, n_k) if padded else None


@task("attention", points=2)
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
        ],
    )


@task("attention", points=2)
def test_padding_gets_no_weight(student, draw):
    """Padded keys have weight 0 in every head and the others share all of it, in short sentences and in full ones."""
    B, n, h, d_k = draw_sizes(draw)
    compare_each(
        student.attention,
        from_scratch.attention,
        [
            draw_heads(draw, B, n, n, h, d_k, padded=True),
            draw_heads(draw, B, n, n + draw.integer(2, 4), h, d_k, padded=True),
            draw_heads(draw, 4, 4, n, 4, d_k, padded=True),  # as many sentences as heads and queries
        ],
    )


# multi_head_attention


class Layer:
    """The student's layer as one function of its inputs, its parameters and its number of heads."""

    name = "MultiHeadAttention"

    def __init__(self, student: Any) -> None:
        self._student = student

    def build(self, state: dict[str, torch.Tensor], h: int) -> Any:
        """Make a layer in evaluation mode that holds these parameters."""
        layer = self._student.MultiHeadAttention(state["W_o.bias"].numel(), h)
        held = layer.state_dict()
        for name, tensor in state.items():
            shape = tuple(held[name].shape) if name in held else None
            if shape != tuple(tensor.shape):
                message = _("{layer}: there is no parameter {name} of shape {shape}; use nn.Linear(d_model, d_model)")
                raise WrongAnswer(message.format(layer=self.name, name=name, shape=tuple(tensor.shape)))
        layer.load_state_dict(state, strict=False)
        layer.eval()
        return layer

    def __call__(
        self,
        q: torch.Tensor,
        k: torch.Tensor,
        v: torch.Tensor,
        pad: torch.Tensor | None,
        state: dict[str, torch.Tensor],
        h: int,
    ) -> Any:
        """Run a fresh layer once, as `solutions.from_scratch.multi_head_attention` does."""
        args = (q, k, v, pad, state, h)
        try:
            layer = self.build(state, h)
            got = layer(q, k, v) if pad is None else layer(q, k, v, pad)
        except StudentError as error:
            self._student.record(args, error)
            raise
        self._student.record(args, got)
        return got


def draw_layer(draw: Any, B: int, n_q: int, n_k: int, h: int, d_k: int, padded: bool = False) -> Inputs:
    """Draw three different inputs, a padding mask or None, parameters and h."""
    q, k, v = draw.tensor(B, n_q, h * d_k), draw.tensor(B, n_k, h * d_k), draw.tensor(B, n_k, h * d_k)
    return q, k, v, draw.padding(B, n_k) if padded else None, layer_state(draw, h * d_k), h


def compare_layer(student: Any, *inputs: Inputs) -> None:
    """Compare the student's layer with the reference on all inputs."""
    compare_each(Layer(student), from_scratch.multi_head_attention, inputs)


@task("multi_head_attention", points=1)
def test_self_attention(student, draw):
    """Output and weights are right when every sentence attends to itself."""
    B, n, h, d_k = draw_sizes(draw)
    x, state = draw.tensor(B, n, h * d_k), layer_state(draw, h * d_k)
    compare_layer(student, (x, x, x, None, state, h))


@task("multi_head_attention", points=2)
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
        draw_layer(draw, B, n, n, h, d_k, padded=True),
        draw_layer(draw, B, n, n + draw.integer(2, 4), h, d_k, padded=True),
        draw_layer(draw, 4, 4, n, 4, d_k, padded=True),  # as many sentences as heads and queries
    )


@task("multi_head_attention", points=1)
def test_axes_of_size_one_stay(student, draw):
    """One sentence, one head, one query or one key: the result is right and keeps all its axes."""
    n, h, d_k = draw.distinct(n=(4, 6), h=(2, 3), d_k=(5, 7))
    compare_layer(
        student,
        draw_layer(draw, 1, n, n, h, d_k, padded=False),
        draw_layer(draw, 2, n, n, 1, d_k, padded=True),
        draw_layer(draw, 2, 1, n, h, d_k, padded=True),
    )


@task("multi_head_attention", points=1)
def test_sizes_that_do_not_fit_are_refused(student, draw):
    """The constructor refuses a number of heads that does not divide d_model."""
    h, d_k = draw.distinct(h=(3, 5), d_k=(5, 7))
    try:
        expect_raises(student.MultiHeadAttention, h * d_k + draw.integer(1, h - 1), h)
    except WrongAnswer as wrong:
        accepted = not isinstance(getattr(wrong, "got", None), StudentError)
        wrong.mistakes = ("no-divisibility-check",) if accepted else ()
        raise


@task("multi_head_attention", points=1)
def test_a_second_call_gives_the_same(student, draw):
    """In evaluation mode two calls agree, and the layer's parameters are the ones that are used."""
    B, n, h, d_k = draw_sizes(draw)
    q, k, v, pad, state, _h = draw_layer(draw, B, n, n, h, d_k, padded=True)
    layer = Layer(student).build(state, h)
    first, second = layer(q, k, v, pad), layer(q, k, v, pad)
    if differences(second, first) is not None:
        raise WrongAnswer(_("MultiHeadAttention: two calls with the same inputs give different results in eval mode"))
