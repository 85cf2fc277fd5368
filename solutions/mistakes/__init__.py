"""The bank of known mistakes: what students with each of them would return.

A mistake is one entry in one of these modules. For tasks that are computed in stages it only says which stage goes
wrong, and how; its functions for all such tasks are made here.
"""

from headcheck.diagnosis.bank import Mistake
from headcheck.diagnosis.stages import with_forms

from solutions.mistakes import (
    context,
    contract,
    hidden,
    inputs,
    mask,
    merge,
    output,
    project,
    returns,
    scale,
    softmax,
    split,
    torch_masks,
)
from solutions.pipeline import PIPELINES

STAGES = (inputs, project, split, scale, mask, torch_masks, softmax, context, merge, output, returns, contract, hidden)

BANK: dict[str, Mistake] = {
    mistake.id: with_forms(mistake, PIPELINES) for stage in STAGES for mistake in stage.MISTAKES
}
"""Mistake id -> mistake, in the order in which the stages come in an attention layer."""

INSEPARABLE: tuple[tuple[frozenset[str], str], ...] = (
    (
        frozenset({"mask-ignored", "mask-result-discarded"}),
        "a mask whose result is thrown away leaves exactly the numbers of code without a mask",
    ),
    (
        frozenset({"mask-fill-1e-9", "mask-multiplied-into-scores"}),
        "a score of 1e-9 and a score of 0 differ by less than float32 can show",
    ),
    (
        frozenset({"pad-mask-inverted", "sdpa-mask-polarity"}),
        "where only the output is asked for, it does not tell which of the two functions got the mask",
    ),
)
"""Mistakes that give the same numbers on every input, and why."""
