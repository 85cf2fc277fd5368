"""Mistakes made where the weights mix the values."""

from __future__ import annotations

from collections.abc import Callable

import torch
from headcheck.diagnosis.bank import Choice, Context, Mistake
from headcheck.i18n import N_

from solutions.attention import merge_heads

ATTENTION = ("multi_head_attention", "attention")


def mix(make: Callable[[Context], torch.Tensor]) -> Choice:
    """Make the context in another way."""
    return {"context": lambda c: {"context": make(c)}}


def _averaged_weights(weights: torch.Tensor, V: torch.Tensor) -> torch.Tensor:
    return merge_heads(weights.mean(dim=1, keepdim=True) @ V)


MISTAKES = (
    Mistake(
        id="context-from-keys",
        name=N_("the weights mix the keys instead of the values"),
        symptom=N_("Right weights, wrong output; W_v gets no gradient."),
        explanation=N_(
            "Keys say where something can be found, values say what it is. Mixed keys have the right shape and carry "
            "the wrong thing."
        ),
        see=N_("Set V to zero: the context should be zero."),
        question=N_("Which tensor do your weights multiply?"),
        source="https://github.com/ruvnet/agentic-flow/issues/191",
        choices=[mix(lambda c: c["weights"] @ c["K"])],
    ),
    Mistake(
        id="context-from-queries",
        name=N_("the weights mix the queries instead of the values"),
        symptom=N_("Right weights, wrong output; a crash when there are more keys than queries."),
        explanation=N_("Values are what is passed on. The queries have done their work once the weights are known."),
        see=N_("Set V to zero: the context should be zero."),
        question=N_("Which tensor do your weights multiply?"),
        choices=[mix(lambda c: c["weights"] @ c["Q"])],
    ),
    Mistake(
        id="context-from-averaged-weights",
        name=N_("all heads use the mean of the weights"),
        symptom=N_("Right weights per head, and an output as if all heads looked at the same places."),
        explanation=N_(
            "Each head has its own weights and must use them on its own values. The mean over the heads is for a "
            "picture at most; with it all heads look at the same places."
        ),
        see=N_("Change W_q of one head: only that head's part of the context should change."),
        question=N_("Which weights belong to the values of head 1?"),
        source="https://github.com/google-research/bert/issues/994",
        choices=[mix(lambda c: c["weights"].mean(dim=1, keepdim=True) @ c["V"])],
        wrong={"missing_transpose": _averaged_weights},
    ),
    Mistake(
        id="context-from-one-head",
        name=N_("all heads use the weights of one head"),
        symptom=N_("Right weights per head, and only one head's part of the output is right."),
        explanation=N_("An index that should run over the heads stands still, so one head's weights serve all values."),
        see=N_("Change W_q of head 1: its part of the context should change."),
        question=N_("Which weights belong to the values of head 1?"),
        choices=[
            mix(lambda c: c["weights"][:, :1] @ c["V"]),
            mix(lambda c: c["weights"][:, -1:] @ c["V"]),
        ],
    ),
    Mistake(
        id="context-from-one-values-head",
        name=N_("all heads mix the values of one head"),
        symptom=N_("Right weights, and only one head's part of the output is right."),
        explanation=N_("An index that should run over the heads stands still, so one head's values serve all weights."),
        see=N_("Change the columns of W_v of head 1: its part of the context should change."),
        question=N_("Which values belong to the weights of head 1?"),
        choices=[
            mix(lambda c: c["weights"] @ c["V"][:, :1]),
            mix(lambda c: c["weights"] @ c["V"][:, -1:]),
            mix(lambda c: c["weights"] @ c["V"].mean(dim=1, keepdim=True)),
        ],
    ),
    Mistake(
        id="context-from-scores",
        name=N_("the scores mix the values, not the weights"),
        symptom=N_("Right weights are handed back, and the output is far off."),
        explanation=N_(
            "The weights were computed and returned, but the line that mixes the values still uses the scores before "
            "softmax."
        ),
        see=N_("Set all values to one: the context should be one everywhere."),
        question=N_("Which variable does your last matrix product use?"),
        choices=[mix(lambda c: c["scores"] @ c["V"]), mix(lambda c: c["plain"] @ c["V"])],
        tasks=ATTENTION,
    ),
    Mistake(
        id="context-from-unmasked-weights",
        name=N_("the weights that mix the values were made without the mask"),
        symptom=N_("Right weights are handed back; the output is right only without padding."),
        explanation=N_(
            "The mask reaches the weights that are returned but not those that are used, so the padding still takes "
            "part in every answer."
        ),
        see=N_("Put large numbers into the padding: the output of real tokens should not change."),
        question=N_("Which weights does your last matrix product use?"),
        choices=[mix(lambda c: c["plain"].softmax(dim=-1) @ c["V"])],
        tasks=ATTENTION,
    ),
    Mistake(
        id="context-from-transposed-weights",
        name=N_("the weights are transposed before they mix the values"),
        symptom=N_("Right weights are handed back and the output is wrong; a crash in cross-attention."),
        explanation=N_(
            "Row i of the weights belongs to query i. Transposed, the answer for token i collects what others gave to "
            "it."
        ),
        see=N_("Let every query look at key 0 only: all rows of the context should be V[0]."),
        question=N_("Which axis of the weights must meet the key axis of V?"),
        choices=[mix(lambda c: c["weights"].transpose(-2, -1) @ c["V"])],
    ),
    Mistake(
        id="values-not-mixed",
        name=N_("the weights are never used: the values go straight on"),
        symptom=N_("Right weights are handed back; the output of a token depends on that token alone."),
        explanation=N_("Without weights @ V no token hears of any other, however good the weights are."),
        see=N_("Change one token: the outputs of the others should change too."),
        question=N_("Where do your weights meet the values?"),
        choices=[mix(lambda c: c["V"])],
    ),
)
