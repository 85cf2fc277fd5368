"""The bank of known mistakes: what students with each of them would return.

A mistake is one entry in one of these modules. For tasks that are computed in stages it only says which stage goes
wrong, and how; its functions for all such tasks are made here.
"""

from dataclasses import replace

from headcheck.diagnosis.bank import Mistake
from headcheck.diagnosis.stages import with_forms

from solutions.mistakes import (
    ablation,
    context,
    contract,
    costs,
    hidden,
    inputs,
    lesson_answers,
    mask,
    merge,
    output,
    project,
    relations,
    returns,
    roles,
    scale,
    seeds,
    softmax,
    split,
    tables,
    torch_layer,
    torch_masks,
    two_target,
)
from solutions.mistakes.pieces import layer_class
from solutions.pipeline import PIPELINES

STAGES = (inputs, project, split, scale, mask, torch_masks, softmax, context, merge, output, returns, contract, hidden)

LESSONS = (costs, relations, torch_layer, two_target, roles, ablation, seeds, tables)
"""Mistakes of the further assignments; FURTHER says how those above are made there."""

BANK: dict[str, Mistake] = {
    mistake.id: with_forms(mistake, PIPELINES) for stage in (*STAGES, *LESSONS) for mistake in stage.MISTAKES
}
for _lesson in LESSONS:
    for _id, _forms in _lesson.FURTHER.items():
        BANK[_id] = replace(
            BANK[_id],
            wrong={**BANK[_id].wrong, **{task: forms[0] for task, forms in _forms.items()}},
            also={**BANK[_id].also, **{task: forms[1:] for task, forms in _forms.items() if forms[1:]}},
        )
"""Mistake id -> mistake, in the order in which the stages come in an attention layer."""

ANSWERS = {"multi_head_attention": lambda form: {"MultiHeadAttention": layer_class(form)}, **lesson_answers.ANSWERS}
"""Task -> how a function that makes a mistake becomes an answer, where the answer is no function of that name."""

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
