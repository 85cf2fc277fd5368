"""Mistakes made where (B, n, d_model) becomes heads (B, h, n, d_k)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import torch
from headcheck.diagnosis.bank import Choice, Context, Crash, Mistake, Step
from headcheck.i18n import N_

from solutions.mistakes.pieces import refusing
from solutions.pipeline import nothing, split_heads

Split = Callable[[torch.Tensor, int], torch.Tensor]


def everywhere(wrong: Split, only: str = "QKV") -> Choice:
    """Split the tensors named by letters in a wrong way, the others in the right one."""

    def split(c: Context) -> Context:
        return {Z: (wrong if Z in only else split_heads)(c[Z], c["h"]) for Z in "QKV"}

    return {"split": split}


def alone(wrong: Split) -> Mapping[str, Split]:
    """Make the same mistake in the tasks that split one tensor."""
    return {"split_heads": wrong, "wrong_view": wrong, "indivisible_heads": refusing(wrong)}


def view_only(x: torch.Tensor, h: int) -> torch.Tensor:
    """Mix tokens and heads: (B, h, n, d_k)."""
    B, n, d_model = x.shape
    return x.reshape(B, h, n, d_model // h)


def _view_then_transpose(x: torch.Tensor, h: int) -> torch.Tensor:
    return view_only(x, h).transpose(1, 2)  # (B, n, h, d_k), still mixed


def _transpose_then_view(x: torch.Tensor, h: int) -> torch.Tensor:
    B, n, d_model = x.shape
    return x.transpose(1, 2).reshape(B, h, n, d_model // h)  # (B, h, n, d_k), columns taken for tokens


def interleaved(x: torch.Tensor, h: int) -> torch.Tensor:
    """Give head i the columns i, i + h, i + 2 h, ...: (B, h, n, d_k)."""
    B, n, d_model = x.shape
    return x.view(B, n, d_model // h, h).permute(0, 3, 1, 2)


def _reversed(x: torch.Tensor, h: int) -> torch.Tensor:
    return split_heads(x, h).flip(1)  # (B, h, n, d_k), the last block first


def _same_block(x: torch.Tensor, h: int) -> torch.Tensor:
    B, n, d_model = x.shape
    return x[:, None, :, : d_model // h].expand(B, h, n, d_model // h)  # (B, h, n, d_k), h times the first block


def _no_transpose(x: torch.Tensor, h: int) -> torch.Tensor:
    B, n, d_model = x.shape
    return x.view(B, n, h, d_model // h)  # (B, n, h, d_k)


def _float_view(x: torch.Tensor, h: int) -> torch.Tensor:
    B, n, d_model = x.shape
    return x.view(B, n, h, d_model / h).transpose(1, 2)  # TypeError


def _float_reshape(x: torch.Tensor, h: int) -> torch.Tensor:
    B, n, d_model = x.shape
    return x.reshape(B, n, h, d_model / h).transpose(1, 2)  # TypeError


def _lengths_of_query(c: Context) -> Context:
    B, n_q, d_model = c["Q"].shape
    h = c["h"]
    return {Z: c[Z].view(B, n_q, h, d_model // h).transpose(1, 2) for Z in "QKV"}  # RuntimeError unless n_k == n_q


def _flat_merge(c: Context) -> Context:
    return {"merged": c["context"].flatten(2)}  # (B, n, h * d_k), right for heads (B, n, h, d_k)


def _merge_without_transpose(c: Context) -> Context:
    context = c["context"]
    return {"merged": context.reshape(context.shape[0], -1, c["h"] * context.shape[-1])}


def _tokens_first_mask(fill: float) -> Step:
    def mask(c: Context) -> Context:
        if c["pad"] is None:
            return {}
        return {"scores": c["scores"].masked_fill(c["pad"][:, :, None, None], fill)}  # tokens are on axis 1

    return mask


OVER_HEADS = everywhere(_no_transpose)
WITHOUT_TRANSPOSE = {"merge": _merge_without_transpose}

MISTAKES = (
    Mistake(
        id="split-view-no-transpose",
        name=N_("`view` straight to (B, h, n, d_k), without the transpose"),
        symptom=N_("The right shape, and numbers of other tokens in every head."),
        explanation=N_(
            "`view` never moves a number, it only counts the same row of numbers differently. The memory runs token "
            "by token, so the first head is filled with whole tokens until it is full, and other tokens never reach "
            "it."
        ),
        see=N_("Split a tensor in which every entry carries the number of its token, and print head 0."),
        question=N_("Which numbers does head 0 hold when each entry of x carries the number of its token?"),
        source="https://github.com/hyunwoongko/transformer/issues/15",
        choices=[everywhere(view_only, only) for only in ("QKV", "QK", "KV", "QV")],
        wrong=alone(view_only),
        also={
            "split_heads": [_view_then_transpose],
            "wrong_view": [_view_then_transpose],
            "indivisible_heads": [refusing(_view_then_transpose)],
        },
    ),
    Mistake(
        id="split-and-merge-view-no-transpose",
        name=N_("heads are split and merged by `view` alone; nothing is ever transposed"),
        symptom=N_("The right shapes, and every head attends among pieces of a few neighbouring tokens."),
        explanation=N_(
            "The two wrong views undo each other, so a round trip looks right. In between, a head holds whole tokens "
            "cut into pieces instead of a block of columns of all tokens."
        ),
        see=N_("Print which tokens stand in head 0 between the split and the merge."),
        question=N_("Which tokens can the first token reach in your head 0?"),
        source="https://github.com/649453932/Chinese-Text-Classification-Pytorch/issues/53",
        choices=[{**everywhere(view_only), **WITHOUT_TRANSPOSE}],
    ),
    Mistake(
        id="split-only-query-wrong",
        name=N_("the queries are reshaped without the transpose; keys and values are right"),
        symptom=N_("The right shapes; the weights belong to other queries."),
        explanation=N_(
            "Three lines that should be alike are not: one of them lacks the transpose. Heads of queries and keys "
            "then hold different columns."
        ),
        see=N_("Split the same tensor with all three lines and compare."),
        question=N_("Do your three lines for Q, K and V differ in more than one letter?"),
        source="https://github.com/xieenze/Trans2Seg/issues/4",
        choices=[everywhere(wrong, "Q") for wrong in (view_only, interleaved, _transpose_then_view)],
    ),
    Mistake(
        id="split-only-key-wrong",
        name=N_("the keys are reshaped without the transpose; queries and values are right"),
        symptom=N_("The right shapes; every query is compared with pieces of other tokens."),
        explanation=N_(
            "Three lines that should be alike are not: one of them lacks the transpose. Heads of queries and keys "
            "then hold different columns."
        ),
        see=N_("Split the same tensor with all three lines and compare."),
        question=N_("Do your three lines for Q, K and V differ in more than one letter?"),
        choices=[everywhere(wrong, "K") for wrong in (view_only, interleaved, _transpose_then_view)],
    ),
    Mistake(
        id="split-only-value-wrong",
        name=N_("the values are reshaped without the transpose; queries and keys are right"),
        symptom=N_("Right weights, wrong output."),
        explanation=N_(
            "Three lines that should be alike are not: one of them lacks the transpose. The weights are right and "
            "fetch numbers of other tokens."
        ),
        see=N_("Split the same tensor with all three lines and compare."),
        question=N_("Do your three lines for Q, K and V differ in more than one letter?"),
        choices=[everywhere(wrong, "V") for wrong in (view_only, interleaved, _transpose_then_view)],
    ),
    Mistake(
        id="split-transpose-before-view",
        name=N_("tokens and columns were swapped before the split instead of tokens and heads after it"),
        symptom=N_("The right shape, and one column of many tokens where a token's columns should be."),
        explanation=N_(
            "After `x.transpose(1, 2)` the numbers run column by column, and cutting them into rows of d_k then joins "
            "one column of several tokens. First cut the columns into (h, d_k), then swap the token axis with the "
            "head axis."
        ),
        see=N_("Split a tensor in which every entry carries the number of its token, and print head 0."),
        question=N_("What are the axes called right before your reshape, and which two of them do you want to swap?"),
        source="https://github.com/zhouhaoyi/Informer2020/issues/59",
        choices=[everywhere(_transpose_then_view)],
        wrong=alone(_transpose_then_view),
    ),
    Mistake(
        id="split-interleaved-d-h",
        name=N_("columns dealt out in turn, like cards, instead of in blocks of d_k"),
        symptom=N_("The right shape; every head holds every h-th column."),
        explanation=N_(
            "Head i should own the neighbouring columns i * d_k to (i + 1) * d_k. With the axes in the order (d_k, h) "
            "it gets every h-th column instead, which does not fit the trained projection matrices."
        ),
        see=N_("Split a tensor in which every entry carries the number of its column, and print head 0."),
        question=N_("Which columns of x does your head 0 hold, and which should it hold?"),
        source='public code: "b n (d h) -> b h n d"',
        choices=[
            everywhere(interleaved),
            *(everywhere(interleaved, only) for only in ("QK", "KV")),
            # Dealt out and collected in the same order: only the layout of the trained matrices is missed.
            {**everywhere(interleaved), "merge": lambda c: {"merged": c["context"].permute(0, 2, 3, 1).flatten(2)}},
        ],
        wrong=alone(interleaved),
    ),
    Mistake(
        id="split-heads-reversed",
        name=N_("the heads stand in the opposite order"),
        symptom=N_("The right shape; head 0 holds the last block of columns."),
        explanation=N_(
            "Head 0 owns the first d_k columns, head 1 the next ones. In another order each head meets the rows of the "
            "output projection that were trained for another one."
        ),
        see=N_("Split a tensor in which every entry carries the number of its column, and print head 0."),
        question=N_("Which columns of x does your head 0 hold, and which should it hold?"),
        choices=[everywhere(_reversed)],
        wrong=alone(_reversed),
    ),
    Mistake(
        id="split-same-block-for-all",
        name=N_("every head got the same block of columns"),
        symptom=N_("The right shape; all heads are equal."),
        explanation=N_(
            "Each head should look at columns of its own: head i at i * d_k to (i + 1) * d_k. A slice without the "
            "number of the head in it takes the same columns every time."
        ),
        see=N_("Split a tensor in which every entry carries the number of its column, and print heads 0 and 1."),
        question=N_("Where does the number of the head stand in your slice?"),
        choices=[everywhere(_same_block)],
        wrong=alone(_same_block),
    ),
    Mistake(
        id="attends-over-heads",
        name=N_("the heads stay behind the tokens: (B, n, h, d_k)"),
        symptom=N_(
            "Weights of shape (B, n, h, h): heads look at heads. Crashes when there are more keys than queries."
        ),
        explanation=N_(
            "Attention works on the last two axes. With (B, n, h, d_k) these are heads and columns, so heads would "
            "attend to one another within a token instead of tokens to tokens within a head."
        ),
        see=N_("Print the shape of the scores; with n = h it would look right."),
        question=N_("Which two axes must come last so that Q @ K.transpose(-2, -1) compares tokens?"),
        source="https://github.com/pytorch/pytorch/issues/152257",
        choices=[
            {**OVER_HEADS, "merge": _flat_merge, "mask": nothing},
            {**OVER_HEADS, "merge": _flat_merge},
            {**OVER_HEADS, "mask": nothing},
            OVER_HEADS,
            {**OVER_HEADS, "merge": _flat_merge, "mask": _tokens_first_mask(-math.inf)},
            {**OVER_HEADS, "merge": _flat_merge, "mask": _tokens_first_mask(-1e9)},
            everywhere(_view_then_transpose),
        ],
        wrong=alone(_no_transpose),
    ),
    Mistake(
        id="float-head-dim",
        name=N_("d_k was computed with `/`, so it is a float"),
        symptom=N_("TypeError in the first view or reshape."),
        explanation=N_(
            "`d_model / h` is a float in Python even when it comes out even, and a size must be an integer. Use `//`, "
            "after making sure that h divides d_model."
        ),
        see=N_("Print d_k: 8.0 is not 8."),
        question=N_("What is type(8 / 2)?"),
        source='public code: "self.d_k = d_model / "',
        choices=[everywhere(_float_view), everywhere(_float_reshape)],
        crashes=[
            Crash("TypeError", r"'?float'?.*(integer|index|int)|argument '(size|shape|sizes)'|type float|split_size")
        ],
        wrong={"split_heads": _float_view, "wrong_view": _float_view, "indivisible_heads": _float_view},
        also={
            "split_heads": [_float_reshape],
            "wrong_view": [_float_reshape],
            "indivisible_heads": [_float_reshape],
        },
    ),
    Mistake(
        id="lengths-taken-from-query",
        name=N_("keys and values are reshaped with the number of queries"),
        symptom=N_("Right when there are as many keys as queries, a crash in cross-attention."),
        explanation=N_(
            "The number of tokens was read from q once and used for all three tensors. In cross-attention the keys "
            "have a length of their own."
        ),
        see=N_("Call the module with five queries and seven keys."),
        question=N_("Where does the n in your three reshapes come from?"),
        source="https://github.com/huggingface/transformers/pull/48356",
        choices=[{"split": _lengths_of_query}],
    ),
)
