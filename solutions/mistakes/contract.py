"""Mistakes about what a function may expect and must refuse: the order of axes, sizes that do not fit."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from headcheck.diagnosis.bank import Choice, Context, Crash, Mistake, Step
from headcheck.i18n import N_

from solutions import attention
from solutions.attention import State
from solutions.mistakes.pieces import masked_module, module
from solutions.pipeline import MODULE, nothing, output_of


def _sequence_first(x: torch.Tensor, state: State, h: int) -> torch.Tensor:
    return module(state, h)(x, x, x)[0]


def _sequence_first_masked(x: torch.Tensor, token: torch.Tensor, state: State, h: int) -> torch.Tensor:
    return masked_module(x, state, h, ~token)[0]  # AssertionError unless B == n


def _sequence_first_inverted(x: torch.Tensor, token: torch.Tensor, state: State, h: int) -> torch.Tensor:
    return masked_module(x, state, h, token)[0]  # AssertionError unless B == n


def _sequence_first_turned(x: torch.Tensor, token: torch.Tensor, state: State, h: int) -> torch.Tensor:
    return masked_module(x, state, h, ~token.T)[0]


def _sequence_first_weights(x: torch.Tensor, state: State, h: int, i: int) -> torch.Tensor:
    return module(state, h)(x, x, x, average_attn_weights=False)[1][:, i]  # (n, B, B)


def _not_turned_back(x: torch.Tensor, state: State, h: int) -> torch.Tensor:
    return attention.multi_head_attention(x, x, x, state, h)[0].transpose(0, 1)  # (n, B, d_model)


def _not_turned_back_masked(x: torch.Tensor, token: torch.Tensor, state: State, h: int) -> torch.Tensor:
    return attention.multi_head_attention(x, x, x, state, h, pad=~token)[0].transpose(0, 1)  # (n, B, d_model)


def _split_swapped(x: torch.Tensor, h: int) -> torch.Tensor:
    return attention.split_heads(x, h).transpose(0, 2)  # (n, h, B, d_k)


def _merge_swapped(weights: torch.Tensor, V: torch.Tensor) -> torch.Tensor:
    return attention.merge_heads(weights @ V).transpose(0, 1)  # (n_q, B, h * d_k)


def _reshaped(x: torch.Tensor, state: State, h: int) -> torch.Tensor:
    B, n, d_model = x.shape
    turned = x.reshape(n, B, d_model)  # the numbers stay where they are: tokens change sentences
    return module(state, h)(turned, turned, turned)[0].reshape(B, n, d_model)


def _reshaped_masked(x: torch.Tensor, token: torch.Tensor, state: State, h: int) -> torch.Tensor:
    B, n, d_model = x.shape
    turned = x.reshape(n, B, d_model)
    return masked_module(turned, state, h, ~token)[0].reshape(B, n, d_model)


def _unchecked(x: torch.Tensor, h: int) -> torch.Tensor:
    B, n, d_model = x.shape
    return x.view(B, n, h, d_model // h).transpose(1, 2)


def _unchecked_rest(x: torch.Tensor, h: int) -> torch.Tensor:
    B, n, _d_model = x.shape
    return x.view(B, n, h, -1).transpose(1, 2)


def _unchecked_chunks(x: torch.Tensor, h: int) -> torch.Tensor:
    return torch.stack(x.chunk(h, dim=-1), dim=1)


def _cut_off(x: torch.Tensor, h: int) -> torch.Tensor:
    B, n, d_model = x.shape
    d_k = d_model // h
    return x[..., : h * d_k].reshape(B, n, h, d_k).transpose(1, 2)  # the last columns are lost


def _no_refusal(x: torch.Tensor, h: int) -> torch.Tensor | None:
    return attention.split_heads(x, h) if x.shape[-1] % h == 0 else None


def _check(
    refuses: Callable[[int, int], bool],
    error: type[Exception],
    split: Callable[[torch.Tensor, int], torch.Tensor] = _unchecked,
) -> Callable[..., torch.Tensor]:
    def indivisible_heads(x: torch.Tensor, h: int) -> torch.Tensor:
        if refuses(x.shape[-1], h):
            raise error  # no text: the student's could be any
        return split(x, h)

    return indivisible_heads


def _divides(d_model: int, h: int) -> bool:
    return d_model % h == 0


def _swapped(d_model: int, h: int) -> bool:
    return h % d_model != 0


def _split_sequence_first(c: Context) -> Context:
    h = c["h"]
    return {Z: c[Z].unflatten(-1, (h, -1)).permute(1, 2, 0, 3) for Z in "QKV"}  # (n, h, B, d_k)


def _mask_sequence_first(fill: float) -> Step:
    def mask(c: Context) -> Context:
        return {} if c["pad"] is None else {"scores": c["scores"].masked_fill(c["pad"].t()[:, None, None, :], fill)}

    return mask


def _merge_sequence_first(c: Context) -> Context:
    return {"merged": c["context"].permute(2, 0, 1, 3).flatten(2)}  # (B, n, h * d_k)


def sequence_first(*masks: Step) -> list[Choice]:
    """Take the first axis for the sequence from the split to the merge, with each of these masks."""
    whole = {"split": _split_sequence_first, "merge": _merge_sequence_first}
    return [{**whole, "mask": mask} for mask in masks]


def module_state(state: State) -> State:
    """Pack the parameters of W_q, W_k, W_v and W_o as nn.MultiheadAttention keeps them."""
    return {
        "in_proj_weight": torch.cat([state[f"{layer}.weight"] for layer in ("W_q", "W_k", "W_v")]),
        "in_proj_bias": torch.cat([state[f"{layer}.bias"] for layer in ("W_q", "W_k", "W_v")]),
        "out_proj.weight": state["W_o.weight"],
        "out_proj.bias": state["W_o.bias"],
    }


def _torch_module(c: Context) -> Context:
    # Where the lengths fit, the module complains about the mask, whose axis 0 should be its axis 1. Its words are
    # repeated here, since it imports sympy to say them, which takes longer than the whole search.
    q, k, pad = c["q"], c["k"], c["pad"]
    if pad is not None and q.shape == k.shape and pad.shape[0] != q.shape[1]:
        raise AssertionError(f"Expected key_padded_mask.shape[0] to be {q.shape[1]}, but got {pad.shape[0]}")
    mha = module(module_state(c["state"]), c["h"])
    out, weights = mha(c["q"], c["k"], c["v"], key_padding_mask=c["pad"], average_attn_weights=False)
    return {"shown": weights, "result": (out, weights)}


def whole(step: Step) -> Choice:
    """Do everything in the first stage."""
    return {stage: step if stage == "inputs" else nothing for stage in MODULE.stages}


def _turned_back(result: Callable[[torch.Tensor], torch.Tensor]) -> Choice:
    """Hand back an output whose axes are in another order."""
    return {"returned": lambda c: {"result": (result(output_of(c)), c["shown"])}}


# What others than `view` say of columns that cannot be dealt out; to make torch say it takes 3 ms each time.
_NOT_SPLIT = [
    Crash("RuntimeError", r"unflatten: Provided sizes"),
    Crash("EinopsError", r"can't divide axis of length"),
]

MISTAKES = (
    Mistake(
        id="torch-mha-without-batch-first",
        name=N_(
            "nn.MultiheadAttention was built without `batch_first=True`, so it took the first axis for the sequence"
        ),
        symptom=N_("Silent without a mask when all lengths agree; otherwise a crash about sizes."),
        explanation=N_(
            "By default the module expects (n, B, d_model). Given (B, n, d_model) it lets token t of one sentence "
            "attend to token t of the other sentences. Without a mask nothing complains, because the shape comes back "
            "unchanged."
        ),
        see=N_("Run one sentence alone and then in a batch: its output should not change."),
        question=N_("Which axis of its input does the module take for the sequence?"),
        source="https://github.com/pytorch/pytorch/issues/122959",
        choices=[whole(_torch_module)],
        wrong={
            "batch_first": _sequence_first,
            "inverted_mask": _sequence_first_masked,
            "averaged_weights": _sequence_first_weights,
        },
        also={"inverted_mask": [_sequence_first_turned, _sequence_first_inverted]},
    ),
    Mistake(
        id="batch-and-sequence-swapped",
        name=N_("sentences and tokens have changed places in the result"),
        symptom=N_("The right numbers at other places, or weights between sentences."),
        explanation=N_(
            "The numbers are right, but the first axis counts tokens and a later one sentences. Whoever transposes "
            "for a function that wants the sequence first must transpose back."
        ),
        see=N_("Use two sentences of five tokens and print the shapes of all results."),
        question=N_("Which axis of your result has the size of the batch?"),
        source="https://github.com/om-ai-lab/OmDet/issues/19",
        choices=[
            *sequence_first(_mask_sequence_first(-math.inf), _mask_sequence_first(-1e9), nothing),
            _turned_back(lambda out: out.transpose(0, 1)),
        ],
        tasks=("multi_head_attention",),
        wrong={
            "wrong_view": _split_swapped,
            "missing_transpose": _merge_swapped,
            "batch_first": _not_turned_back,
            "inverted_mask": _not_turned_back_masked,
        },
    ),
    Mistake(
        id="reshape-instead-of-transpose",
        name=N_("batch and sequence were swapped with `reshape` or `view` instead of `transpose`"),
        symptom=N_("The right shape; tokens of one sentence stand in another."),
        explanation=N_(
            "`reshape` keeps the order of the numbers and only cuts it differently, so tokens end up in other "
            "sentences. `transpose(0, 1)` keeps every token in its sentence."
        ),
        see=N_("Print a tensor in which every entry carries the number of its sentence, before and after."),
        question=N_("Which tokens form sentence 0 after your reshape?"),
        source="https://github.com/Jingkang50/OpenPSG/issues/56",
        wrong={"batch_first": _reshaped, "inverted_mask": _reshaped_masked},
    ),
    Mistake(
        id="no-divisibility-check",
        name=N_("nothing checks that h divides d_model"),
        symptom=N_("Nothing at first; numbers are lost, or a reshape fails far from the cause."),
        explanation=N_(
            "`d_model // h` rounds down without a word. With 30 numbers for 4 heads d_k becomes 7, and either two "
            "numbers of each token are lost or a reshape fails with a message about something else. Check first, and "
            "say which numbers do not fit."
        ),
        see=N_("Ask for six numbers and four heads."),
        question=N_("What are 30 // 4 and 30 % 4?"),
        source="https://github.com/google-research/bert/issues/316",
        probe=N_("sizes that do not fit must be refused"),
        crashes=_NOT_SPLIT,
        wrong={"indivisible_heads": _unchecked},
        also={"indivisible_heads": [_unchecked_rest, _unchecked_chunks, _cut_off]},
    ),
    Mistake(
        id="refusal-not-raised",
        name=N_("sizes that do not fit are noticed, but nothing is raised"),
        symptom=N_("None comes back where an exception should stop the caller."),
        explanation=N_(
            "A function that prints a message and returns None lets its caller go on with None. An exception stops at "
            "the place where the mistake is."
        ),
        see=N_("Print what comes back for six numbers and four heads."),
        question=N_("What does your function return when h does not divide d_model?"),
        source="https://github.com/google-research/bert/issues/316",
        wrong={"indivisible_heads": _no_refusal},
    ),
    Mistake(
        id="divisibility-check-inverted",
        name=N_("the check is the wrong way round: it refuses sizes that fit"),
        symptom=N_("Sizes that fit are refused."),
        explanation=N_(
            "`d_model % h` is 0 when h divides d_model; then there is nothing to refuse. `h % d_model` asks whether "
            "d_model divides h, which is hardly ever so."
        ),
        see=N_("Ask for eight numbers and two heads."),
        question=N_("What is 8 % 2, and what is 2 % 8?"),
        source="https://github.com/google-research/bert/issues/316",
        crashes=_NOT_SPLIT,
        wrong={"indivisible_heads": _check(_divides, ValueError)},
        also={
            "indivisible_heads": [
                _check(_divides, AssertionError),
                _check(_swapped, ValueError),
                _check(_swapped, AssertionError),
                *(
                    _check(_divides, error, split)
                    for error in (ValueError, AssertionError)
                    for split in (_unchecked_rest, _unchecked_chunks)
                ),
            ]
        },
    ),
)
