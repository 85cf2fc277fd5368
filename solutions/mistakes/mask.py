"""Mistakes about padding: who is hidden from whom, and how."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from headcheck.diagnosis.bank import Mistake
from headcheck.i18n import N_

from solutions import attention
from solutions.attention import State
from solutions.mistakes.pieces import masked_attention, module


def _with_mask(x: torch.Tensor, mask: torch.Tensor | None, state: State, h: int) -> torch.Tensor:
    return module(state, h, batch_first=True)(x, x, x, key_padding_mask=mask)[0]


def _inverted(x: torch.Tensor, token: torch.Tensor, state: State, h: int) -> torch.Tensor:
    return _with_mask(x, token, state, h)  # NaN where a sentence has no padding


def _inverted_finite(x: torch.Tensor, token: torch.Tensor, state: State, h: int) -> torch.Tensor:
    real = token[:, None, None, :]
    return masked_attention(x, state, h, lambda scores: scores.masked_fill(real, -1e9).softmax(dim=-1))


def _sdpa_inverted(x: torch.Tensor, token: torch.Tensor, state: State, h: int) -> torch.Tensor:
    Q, K, V = attention.project_in(x, x, x, state, h)
    heads = F.scaled_dot_product_attention(Q, K, V, attn_mask=~token[:, None, None, :])
    return attention.project_out(heads, state)  # zeros before W_o where a sentence has no padding


def _ignored(x: torch.Tensor, token: torch.Tensor, state: State, h: int) -> torch.Tensor:
    return _with_mask(x, None, state, h)


def _one_added_to_padding(x: torch.Tensor, token: torch.Tensor, state: State, h: int) -> torch.Tensor:
    return _with_mask(x, (~token).to(x.dtype), state, h)


def _one_added_to_tokens(x: torch.Tensor, token: torch.Tensor, state: State, h: int) -> torch.Tensor:
    return _with_mask(x, token.to(x.dtype), state, h)


def _after_softmax(x: torch.Tensor, token: torch.Tensor, state: State, h: int) -> torch.Tensor:
    real = token[:, None, None, :]
    return masked_attention(x, state, h, lambda scores: scores.softmax(dim=-1) * real)


def _query_rows(x: torch.Tensor, token: torch.Tensor, state: State, h: int) -> torch.Tensor:
    pad = ~token[:, None, :, None]
    return masked_attention(x, state, h, lambda scores: scores.masked_fill(pad, -1e9).softmax(dim=-1))


def _query_rows_infinite(x: torch.Tensor, token: torch.Tensor, state: State, h: int) -> torch.Tensor:
    pad = ~token[:, None, :, None]
    return masked_attention(x, state, h, lambda scores: scores.masked_fill(pad, -math.inf).softmax(dim=-1))


def _tiny_fill(x: torch.Tensor, token: torch.Tensor, state: State, h: int) -> torch.Tensor:
    pad = ~token[:, None, None, :]
    return masked_attention(x, state, h, lambda scores: scores.masked_fill(pad, 1e-9).softmax(dim=-1))


def _multiplied(x: torch.Tensor, token: torch.Tensor, state: State, h: int) -> torch.Tensor:
    real = token[:, None, None, :]
    return masked_attention(x, state, h, lambda scores: (scores * real).softmax(dim=-1))


def _as_attn_mask(x: torch.Tensor, token: torch.Tensor, state: State, h: int) -> torch.Tensor:
    return module(state, h, batch_first=True)(x, x, x, attn_mask=~token)[0]  # RuntimeError unless B == n


def _integers(x: torch.Tensor, token: torch.Tensor, state: State, h: int) -> torch.Tensor:
    return _with_mask(x, (~token).long(), state, h)  # AssertionError


def _one_minus(x: torch.Tensor, token: torch.Tensor, state: State, h: int) -> torch.Tensor:
    return _with_mask(x, 1 - token, state, h)  # RuntimeError


def _python_not(x: torch.Tensor, token: torch.Tensor, state: State, h: int) -> torch.Tensor:
    return _with_mask(x, not token, state, h)  # RuntimeError


def _minus(x: torch.Tensor, token: torch.Tensor, state: State, h: int) -> torch.Tensor:
    return _with_mask(x, -token, state, h)  # RuntimeError


MISTAKES = (
    Mistake(
        id="pad-mask-inverted",
        name=N_("the mask is the wrong way round: the real tokens are hidden and the padding is seen"),
        explanation=N_(
            "In `key_padding_mask` of nn.MultiheadAttention True means hidden. Given the real tokens instead, "
            "everybody looks at the padding only, and a sentence without padding has nothing left to look at."
        ),
        question=N_("What does True mean in your mask, and what does it mean to the function that you hand it to?"),
        source="https://github.com/lucidrains/halonet-pytorch/issues/4",
        wrong={"inverted_mask": _inverted},
        also={"inverted_mask": [_inverted_finite, _sdpa_inverted]},
    ),
    Mistake(
        id="sdpa-mask-polarity",
        name=N_("F.scaled_dot_product_attention got a mask that is True at padding"),
        explanation=N_(
            "The two functions of PyTorch disagree: True hides in nn.MultiheadAttention's masks, and True lets "
            "through in F.scaled_dot_product_attention's boolean mask."
        ),
        question=N_("What does True mean in attn_mask of F.scaled_dot_product_attention?"),
        source="https://github.com/rasbt/LLMs-from-scratch/issues/1061",
        wrong={"inverted_mask": _sdpa_inverted},
    ),
    Mistake(
        id="mask-ignored",
        name=N_("the mask has no effect: padding is looked at like any other token"),
        explanation=N_(
            "Either no mask is used, or its result is thrown away: `scores.masked_fill(...)` returns a new tensor and "
            "leaves `scores` as it was."
        ),
        question=N_("Does your result change when every entry of token is True?"),
        source="https://github.com/facebookresearch/xformers/issues/103",
        wrong={"inverted_mask": _ignored},
    ),
    Mistake(
        id="mask-added-as-zero-one",
        name=N_("a mask of zeros and ones is added to the scores"),
        explanation=N_(
            "A mask of floats is not a switch, it is added to the scores. Adding 0 or 1 only shifts some attention; "
            "to hide a key its score must become minus infinity, or the mask must be of type bool."
        ),
        question=N_("What is the dtype of the mask that you pass?"),
        source="https://github.com/pytorch/pytorch/issues/92554",
        wrong={"inverted_mask": _one_added_to_padding},
        also={"inverted_mask": [_one_added_to_tokens]},
    ),
    Mistake(
        id="mask-after-softmax",
        name=N_("padding is set to zero after softmax, and the rest was not scaled up again"),
        explanation=N_(
            "Softmax has already given part of the attention to the padding. Setting that part to zero afterwards "
            "leaves rows that add up to less than 1. Hide the keys before softmax."
        ),
        question=N_("What do the weights of a query add up to after your mask?"),
        source="https://github.com/huggingface/pytorch-image-models/pull/2236",
        wrong={"inverted_mask": _after_softmax},
    ),
    Mistake(
        id="mask-on-query-rows",
        name=N_("the mask hides the padding as a query, not as a key"),
        explanation=N_(
            "In scores (B, h, n_q, n_k) keys are the last axis. A mask of shape (B, 1, n, 1) changes the rows of "
            "padded queries, and real tokens still look at the padding."
        ),
        question=N_("Which axis of the scores must your (B, n) mask line up with?"),
        source="https://github.com/hyunwoongko/transformer/pull/40",
        wrong={"inverted_mask": _query_rows},
        also={"inverted_mask": [_query_rows_infinite]},
    ),
    Mistake(
        id="mask-fill-1e-9",
        name=N_("padding gets a score of about zero (1e-9) instead of a very negative one (-1e9)"),
        explanation=N_(
            "Softmax turns a score of 0 into a weight like any other. Only a score far below all others, minus "
            "infinity at best, gives a weight of 0."
        ),
        question=N_("What is exp(1e-9)?"),
        source="https://github.com/awslabs/gluonts/pull/1401",
        wrong={"inverted_mask": _tiny_fill},
    ),
    Mistake(
        id="mask-multiplied-into-scores",
        name=N_("the scores of padding are multiplied by zero"),
        explanation=N_(
            "A score of 0 is not a weight of 0: softmax sees exp(0) = 1. Fill the scores of padding with minus "
            "infinity."
        ),
        question=N_("Which weight does softmax give to a score of 0 beside a score of -2?"),
        source="https://github.com/georg-wolflein/good-features/pull/1",
        wrong={"inverted_mask": _multiplied},
    ),
    Mistake(
        id="padding-mask-passed-as-attn-mask",
        name=N_("the padding mask was passed as `attn_mask`"),
        explanation=N_(
            "`attn_mask` says which query may look at which key and has shape (n, n); `key_padding_mask` says for "
            "each sentence which keys are padding and has shape (B, n). When B equals n the mix-up is not even "
            "noticed."
        ),
        question=N_("Which of the two masks has an axis for the sentences?"),
        source="https://github.com/pytorch/pytorch/pull/22588",
        wrong={"inverted_mask": _as_attn_mask},
    ),
    Mistake(
        id="mask-of-integers",
        name=N_("the mask was turned into integers"),
        explanation=N_(
            "nn.MultiheadAttention takes masks of bool (True hides) or float (added to the scores) and refuses "
            "integers."
        ),
        question=N_("What is the dtype of the mask that you pass?"),
        source="https://github.com/pytorch/pytorch/issues/86120",
        wrong={"inverted_mask": _integers},
    ),
    Mistake(
        id="mask-inverted-with-wrong-operator",
        name=N_("the mask was turned round with an operator that does not work on bool tensors"),
        explanation=N_(
            "`not` asks for one truth value of the whole tensor, and PyTorch refuses `1 - mask` and `-mask` for bool. "
            "`~` turns each entry round."
        ),
        question=N_("Which operator does the text of the exception recommend?"),
        source="https://github.com/deepspeedai/DeepSpeed/issues/3319",
        wrong={"inverted_mask": _one_minus},
        also={"inverted_mask": [_python_not, _minus]},
    ),
)
