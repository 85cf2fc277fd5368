"""Mistakes made where (B, n, d_model) becomes heads (B, h, n, d_k)."""

from __future__ import annotations

import torch
from headcheck.diagnosis.bank import Mistake
from headcheck.i18n import N_

from solutions.mistakes.pieces import refusing


def _view_only(x: torch.Tensor, h: int) -> torch.Tensor:
    B, n, d_model = x.shape
    return x.view(B, h, n, d_model // h)  # (B, h, n, d_k), tokens and heads mixed


def _view_then_transpose(x: torch.Tensor, h: int) -> torch.Tensor:
    return _view_only(x, h).transpose(1, 2)  # (B, n, h, d_k), still mixed


def _transpose_then_view(x: torch.Tensor, h: int) -> torch.Tensor:
    B, n, d_model = x.shape
    return x.transpose(1, 2).reshape(B, h, n, d_model // h)  # (B, h, n, d_k), columns taken for tokens


def _interleaved(x: torch.Tensor, h: int) -> torch.Tensor:
    B, n, d_model = x.shape
    return x.view(B, n, d_model // h, h).permute(0, 3, 1, 2)  # (B, h, n, d_k), head i gets columns i, i + h, ...


def _no_transpose(x: torch.Tensor, h: int) -> torch.Tensor:
    B, n, d_model = x.shape
    return x.view(B, n, h, d_model // h)  # (B, n, h, d_k)


def _float_view(x: torch.Tensor, h: int) -> torch.Tensor:
    B, n, d_model = x.shape
    return x.view(B, n, h, d_model / h).transpose(1, 2)  # TypeError


def _float_reshape(x: torch.Tensor, h: int) -> torch.Tensor:
    B, n, d_model = x.shape
    return x.reshape(B, n, h, d_model / h).transpose(1, 2)  # TypeError


MISTAKES = (
    Mistake(
        id="split-view-no-transpose",
        name=N_("`view` straight to (B, h, n, d_k), without the transpose"),
        explanation=N_(
            "`view` never moves a number, it only counts the same row of numbers differently. The memory runs token "
            "by token, so the first head is filled with whole tokens until it is full, and other tokens never reach "
            "it."
        ),
        question=N_("Which numbers does head 0 hold when each entry of x carries the number of its token?"),
        source="https://github.com/hyunwoongko/transformer/issues/15",
        wrong={"wrong_view": _view_only, "indivisible_heads": refusing(_view_only)},
        also={"wrong_view": [_view_then_transpose], "indivisible_heads": [refusing(_view_then_transpose)]},
    ),
    Mistake(
        id="split-transpose-before-view",
        name=N_("tokens and columns were swapped before the split instead of tokens and heads after it"),
        explanation=N_(
            "After `x.transpose(1, 2)` the numbers run column by column, and cutting them into rows of d_k then joins "
            "one column of several tokens. First cut the columns into (h, d_k), then swap the token axis with the "
            "head axis."
        ),
        question=N_("What are the axes called right before your reshape, and which two of them do you want to swap?"),
        source="https://github.com/zhouhaoyi/Informer2020/issues/59",
        wrong={"wrong_view": _transpose_then_view, "indivisible_heads": refusing(_transpose_then_view)},
    ),
    Mistake(
        id="split-interleaved-d-h",
        name=N_("columns dealt out in turn, like cards, instead of in blocks of d_k"),
        explanation=N_(
            "Head i should own the neighbouring columns i * d_k to (i + 1) * d_k. With the axes in the order (d_k, h) "
            "it gets every h-th column instead, which does not fit the trained projection matrices."
        ),
        question=N_("Which columns of x does your head 0 hold, and which should it hold?"),
        source='public code: "b n (d h) -> b h n d"',
        wrong={"wrong_view": _interleaved, "indivisible_heads": refusing(_interleaved)},
    ),
    Mistake(
        id="attends-over-heads",
        name=N_("the heads stay behind the tokens: (B, n, h, d_k)"),
        explanation=N_(
            "Attention works on the last two axes. With (B, n, h, d_k) these are heads and columns, so heads would "
            "attend to one another within a token instead of tokens to tokens within a head."
        ),
        question=N_("Which two axes must come last so that Q @ K.transpose(-2, -1) compares tokens?"),
        source="https://github.com/pytorch/pytorch/issues/152257",
        wrong={"wrong_view": _no_transpose, "indivisible_heads": refusing(_no_transpose)},
    ),
    Mistake(
        id="float-head-dim",
        name=N_("d_k was computed with `/`, so it is a float"),
        explanation=N_(
            "`d_model / h` is a float in Python even when it comes out even, and a size must be an integer. Use `//`, "
            "after making sure that h divides d_model."
        ),
        question=N_("What is type(8 / 2)?"),
        source='public code: "self.d_k = d_model / "',
        wrong={"wrong_view": _float_view, "indivisible_heads": _float_view},
        also={"wrong_view": [_float_reshape], "indivisible_heads": [_float_reshape]},
    ),
)
