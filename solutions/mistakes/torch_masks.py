"""Padding in torch's own attention: what wrong masks make of the bug hunt's task, and mistakes only possible there."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from headcheck.diagnosis.bank import Mistake
from headcheck.i18n import N_

from solutions import attention
from solutions.attention import State
from solutions.mistakes.pieces import masked_attention, masked_module, module


def _with_mask(x: torch.Tensor, mask: torch.Tensor, state: State, h: int) -> torch.Tensor:
    return masked_module(x, state, h, mask, batch_first=True)[0]


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
    return attention.multi_head_attention(x, x, x, state, h)[0]


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
    return module(state, h, batch_first=True)(x, x, x, key_padding_mask=(~token).long())[0]  # AssertionError


def _one_minus(x: torch.Tensor, token: torch.Tensor, state: State, h: int) -> torch.Tensor:
    return _with_mask(x, 1 - token, state, h)  # RuntimeError


def _python_not(x: torch.Tensor, token: torch.Tensor, state: State, h: int) -> torch.Tensor:
    return _with_mask(x, not token, state, h)  # RuntimeError


def _minus(x: torch.Tensor, token: torch.Tensor, state: State, h: int) -> torch.Tensor:
    return _with_mask(x, -token, state, h)  # RuntimeError


FORMS = {
    "pad-mask-inverted": (_inverted, _inverted_finite, _sdpa_inverted),
    "sdpa-mask-polarity": (_sdpa_inverted,),
    "mask-ignored": (_ignored,),
    "mask-added-as-zero-one": (_one_added_to_padding, _one_added_to_tokens),
    "mask-after-softmax": (_after_softmax,),
    "mask-on-query-rows": (_query_rows, _query_rows_infinite),
    "mask-fill-1e-9": (_tiny_fill,),
    "mask-multiplied-into-scores": (_multiplied,),
    "mask-inverted-with-wrong-operator": (_one_minus, _python_not, _minus),
}
"""Mistake id -> functions with the signature of `inverted_mask` that make it, the usual one first."""

MISTAKES = (
    Mistake(
        id="padding-mask-passed-as-attn-mask",
        name=N_("the padding mask was passed as `attn_mask`"),
        symptom=N_("A crash about the shape of the mask; silent when there are as many sentences as tokens."),
        explanation=N_(
            "`attn_mask` says which query may look at which key and has shape (n, n); `key_padding_mask` says for "
            "each sentence which keys are padding and has shape (B, n). When B equals n the mix-up is not even "
            "noticed."
        ),
        see=N_("Use two sentences of five tokens and read the exception."),
        question=N_("Which of the two masks has an axis for the sentences?"),
        source="https://github.com/pytorch/pytorch/pull/22588",
        wrong={"inverted_mask": _as_attn_mask},
    ),
    Mistake(
        id="mask-of-integers",
        name=N_("the mask was turned into integers"),
        symptom=N_("An AssertionError about the type of the mask."),
        explanation=N_(
            "nn.MultiheadAttention takes masks of bool (True hides) or float (added to the scores) and refuses "
            "integers."
        ),
        see=N_("Print the dtype of the mask right before it is used."),
        question=N_("What is the dtype of the mask that you pass?"),
        source="https://github.com/pytorch/pytorch/issues/86120",
        wrong={"inverted_mask": _integers},
    ),
)
