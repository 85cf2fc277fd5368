"""Mistakes about taking a head away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from headcheck.diagnosis.bank import Mistake
from headcheck.i18n import N_

from solutions.attention import State
from solutions.experiments import Attention

Way = Callable[..., Any]


def _layer(state: State, h: int) -> Attention:
    layer = Attention(state["W_o.bias"].numel(), h)
    layer.load_state_dict(state)
    return layer.requires_grad_(False)


def _columns(i: int, h: int, d_model: int) -> slice:
    return slice(i * (d_model // h), (i + 1) * (d_model // h))


def _behind_W_o(x: torch.Tensor, i: int, state: State, h: int) -> torch.Tensor:
    out = _layer(state, h)(x)[0].clone()
    out[..., _columns(i, h, x.shape[-1])] = 0
    return out


def _parameters(change: Callable[[State, slice, int], None]) -> Way:
    """Ablate by writing zeros into some parameters."""

    def way(x: torch.Tensor, i: int, state: State, h: int) -> torch.Tensor:
        changed = {name: tensor.clone() for name, tensor in state.items()}
        change(changed, _columns(i, h, x.shape[-1]), x.shape[-1])
        return _layer(changed, h)(x)[0]

    return way


def _shifted(columns: slice, by: int) -> slice:
    return slice(columns.start + by, columns.stop + by)


def _values_without_bias(state: State, columns: slice, d_model: int) -> None:
    state["W_qkv.weight"][_shifted(columns, 2 * d_model)] = 0


def _values_everywhere(state: State, columns: slice, d_model: int) -> None:
    state["W_qkv.weight"][2 * d_model :, columns] = 0


def _queries(state: State, columns: slice, d_model: int) -> None:
    state["W_qkv.weight"][columns] = 0
    state["W_qkv.bias"][columns] = 0


def _queries_without_bias(state: State, columns: slice, d_model: int) -> None:
    state["W_qkv.weight"][columns] = 0


def _rows_of_W_o(state: State, columns: slice, d_model: int) -> None:
    state["W_o.weight"][columns] = 0


def _with_the_bias(state: State, columns: slice, d_model: int) -> None:
    state["W_o.weight"][:, columns] = 0
    state["W_o.bias"].zero_()


def _keeping(keep: Callable[[int, int], list[int]]) -> Way:
    """Ablate other heads than the one that was asked for."""

    def way(x: torch.Tensor, i: int, state: State, h: int) -> torch.Tensor:
        mask = torch.zeros(h)
        mask[keep(i, h)] = 1
        return _layer(state, h)(x, mask)[0]

    return way


def _strided(x: torch.Tensor, i: int, state: State, h: int) -> torch.Tensor:
    weight = state["W_o.weight"].clone()
    weight[:, i::h] = 0
    return _layer({**state, "W_o.weight": weight}, h)(x)[0]


def _softmax_over_nothing(x: torch.Tensor, i: int, state: State, h: int) -> torch.Tensor:
    return torch.full_like(x, torch.nan)


FURTHER: dict[str, dict[str, tuple[Way, ...]]] = {}
"""Known mistakes of other modules -> task -> ways to make them here."""

MISTAKES = (
    Mistake(
        id="ablation-after-output",
        name=N_("columns are set to zero behind W_o"),
        symptom=N_("Every head seems to matter, and W_o's bias is gone in places."),
        explanation=N_("Behind W_o each column is a mixture of all heads. Heads lie side by side only before it."),
        see=N_("Use W_o with numbers outside the diagonal and compare with zeroing before it."),
        question=N_("Is the tensor that you change the input of W_o or its output?"),
        wrong={"ablate_head": _behind_W_o},
        source="https://github.com/interp-reasoning/thought-anchors/issues/7",
    ),
    Mistake(
        id="ablation-keeps-value-bias",
        name=N_("the weights of the values are zero, their bias is not"),
        symptom=N_("The head still adds the same vector everywhere."),
        explanation=N_(
            "A value is x @ W_v + bias. Without the weight the bias is left, and goes through W_o like any value."
        ),
        see=N_("Print the input of W_o in the columns of the head."),
        question=N_("What does a value layer with zero weight give?"),
        wrong={"ablate_head": _parameters(_values_without_bias)},
        source="https://github.com/huggingface/transformers/issues/27044",
    ),
    Mistake(
        id="ablation-of-queries",
        name=N_("the queries of the head are zero, its values still flow"),
        symptom=N_("The head looks everywhere alike, and brings the mean."),
        explanation=N_(
            "Zero queries make all scores equal. The weights turn flat, not empty: the head still adds a mean."
        ),
        see=N_("Print the weights of the head after the ablation."),
        question=N_("What does softmax make of a row of zeros?"),
        wrong={"ablate_head": _parameters(_queries)},
        also={"ablate_head": [_parameters(_queries_without_bias)]},
    ),
    Mistake(
        id="ablation-of-output-rows",
        name=N_("rows of W_o.weight are zero, not columns"),
        symptom=N_("Some columns of the output are only bias; all heads are still in the others."),
        explanation=N_("nn.Linear keeps its weight as (out, in). The head's place is on the input side: columns."),
        see=N_("Print the output: are whole columns constant?"),
        question=N_("Which axis of W_o.weight belongs to the input?"),
        wrong={"ablate_head": _parameters(_rows_of_W_o)},
    ),
    Mistake(
        id="ablation-of-input-features",
        name=N_("columns of W_v are zero: features of the input are dropped, not a head"),
        symptom=N_("All heads change a little."),
        explanation=N_(
            "Head i owns rows of W_v.weight, which make its values. Columns belong to the input, which all heads read."
        ),
        see=N_("Print the values of another head before and after."),
        question=N_("Which axis of a weight of nn.Linear belongs to the output?"),
        wrong={"ablate_head": _parameters(_values_everywhere)},
    ),
    Mistake(
        id="ablation-drops-output-bias",
        name=N_("the bias of W_o is gone too"),
        symptom=N_("Right but for one vector that is the same everywhere."),
        explanation=N_("The bias of W_o belongs to no head. Only what the head found is taken away."),
        see=N_("Ablate the only head of a layer: W_o's bias should be left."),
        question=N_("What should come out when all heads are silent?"),
        wrong={"ablate_head": _parameters(_with_the_bias)},
    ),
    Mistake(
        id="ablation-never-happens",
        name=N_("nothing is taken away"),
        symptom=N_("The output is that of the whole layer."),
        explanation=N_(
            "A hook that nobody calls, or a zero written into a copy, changes nothing. nn.MultiheadAttention never "
            "calls its out_proj, so hooks on that stay silent."
        ),
        see=N_("Print something inside your hook."),
        question=N_("Is the line that writes the zeros ever run, and on the tensor that is used?"),
        wrong={"ablate_head": _keeping(lambda i, h: list(range(h)))},
        source="https://github.com/pytorch/pytorch/issues/78109",
    ),
    Mistake(
        id="ablation-of-all-others",
        name=N_("all heads but this one are taken away"),
        symptom=N_("What is left is the work of one head."),
        explanation=N_("A mask that is 1 at head i keeps it. It should be 1 everywhere else."),
        see=N_("Take head 0 of three away and count which columns of W_o's input are zero."),
        question=N_("Is your mask 1 for what stays or for what goes?"),
        wrong={"ablate_head": _keeping(lambda i, h: [i])},
    ),
    Mistake(
        id="ablation-of-another-head",
        name=N_("another head is taken away than the one asked for"),
        symptom=N_("Right way, wrong head."),
        explanation=N_("Heads are counted from 0: head i owns columns i * d_k to (i + 1) * d_k."),
        see=N_("Take head 0 away and print which columns are zero."),
        question=N_("Which columns does your slice name for i = 0?"),
        wrong={"ablate_head": _keeping(lambda i, h: [j for j in range(h) if j != (i - 1) % h])},
        also={
            "ablate_head": [
                _keeping(lambda i, h: [j for j in range(h) if j != i + 1]),
                _keeping(lambda i, h: list(range(1, h))),
            ]
        },
    ),
    Mistake(
        id="ablation-of-scattered-columns",
        name=N_("every h-th column is zero instead of a block"),
        symptom=N_("All heads lose a column."),
        explanation=N_(
            "A head owns a block of d_k columns that stand side by side. i::h takes one column out of each."
        ),
        see=N_("Print the numbers of the columns that you set to zero."),
        question=N_("Which columns belong to head 0?"),
        wrong={"ablate_head": _strided},
    ),
    Mistake(
        id="ablation-by-minus-infinity",
        name=N_("the scores of the head are minus infinity, so softmax has nothing to share out"),
        symptom=N_("NaN everywhere."),
        explanation=N_("Softmax over nothing is 0 / 0. A head is silenced behind its softmax, not before."),
        see=N_("Print softmax of a row of minus infinities."),
        question=N_("What should weights that add up to 1 do when nothing may be looked at?"),
        wrong={"ablate_head": _softmax_over_nothing},
        source="https://github.com/huggingface/transformers/pull/41620",
    ),
    Mistake(
        id="ablation-left-behind",
        name=N_("the layer stays without the head"),
        symptom=N_("Every further ablation is worse than the one before."),
        explanation=N_(
            "A hook must be removed, and parameters must get their numbers back, also when something fails."
        ),
        see=N_("Call the layer itself after the ablation and compare with before."),
        question=N_("Who puts the head back?"),
        probe="A hidden test takes away one head after the other from one layer.",
    ),
)
