"""Mistakes made where the heads (B, h, n, d_k) become one row for each token again."""

from __future__ import annotations

from collections.abc import Callable

import torch
from headcheck.diagnosis.bank import Choice, Context, Crash, Mistake
from headcheck.i18n import N_

from solutions.pipeline import merge_heads


def merged(change: Callable[[torch.Tensor], torch.Tensor]) -> Choice:
    """Merge the heads (B, h, n_q, d_k) in another way."""
    return {"merge": lambda c: {"merged": change(c["context"])}}


def rows(x: torch.Tensor, heads: torch.Tensor) -> torch.Tensor:
    """Cut x into rows of the merged shape (B, n_q, h * d_k), in the order of memory."""
    B, h, n_q, d_k = heads.shape
    return x.reshape(B, n_q, h * d_k)


def _view_of_transposed(heads: torch.Tensor) -> torch.Tensor:
    B, h, n_q, d_k = heads.shape
    return heads.transpose(1, 2).view(B, n_q, h * d_k)  # RuntimeError


def other_order(x: torch.Tensor) -> torch.Tensor:
    """Fold sentences and heads into one axis, (B, h, ...), and take it apart as heads and sentences."""
    B, h = x.shape[:2]
    return x.reshape(h, B, *x.shape[2:]).transpose(0, 1)


def undone(x: torch.Tensor) -> torch.Tensor:
    """Fold heads and sentences into one axis, (h, B, ...), and take it apart as sentences and heads."""
    return x.transpose(0, 1).reshape(x.shape)


def unfolded(heads: torch.Tensor) -> torch.Tensor:
    """Merge heads whose fold was undone in the wrong order."""
    return rows(other_order(heads).transpose(1, 2), heads)


def _without(heads: torch.Tensor, i: int) -> torch.Tensor:
    others = torch.ones(heads.shape[1])
    others[i] = 0
    return merge_heads(heads * others[:, None, None], heads.shape[1])


def _lengths_of_keys(c: Context) -> Context:
    B, h, n_k, d_k = c["V"].shape
    return {"merged": c["context"].transpose(1, 2).reshape(B, n_k, h * d_k)}  # RuntimeError when n_q is not n_k


MISTAKES = (
    Mistake(
        id="merge-no-transpose",
        name=N_("the heads are reshaped to (B, n, h * d_k) without swapping heads and tokens first"),
        symptom=N_("The right shape; a row holds several tokens of one head."),
        explanation=N_(
            "The numbers of (B, h, n, d_k) run head by head. Cut into rows of h * d_k as they are, a row holds "
            "several tokens of one head instead of all heads of one token. Nothing complains, and the shape is right."
        ),
        see=N_("Merge heads in which every entry carries the number of its token, and print row 0."),
        question=N_("Which tokens end up in your first row when each value carries the number of its token?"),
        source="https://github.com/jsbaan/transformer-from-scratch/issues/4",
        choices=[merged(lambda x: rows(x, x))],
    ),
    Mistake(
        id="merge-transposes-wrong-axes",
        name=N_("another pair of axes was swapped than heads and tokens"),
        symptom=N_("The right shape, and numbers of other tokens in every row."),
        explanation=N_(
            "Before the reshape the axes must be (B, n, h, d_k), so that the numbers of one token are neighbours. "
            "Swapping two other axes of (B, h, n, d_k) gives the right count of numbers in the wrong order."
        ),
        see=N_("Merge heads in which every entry carries the number of its token, and print row 0."),
        question=N_("What are the four axes called right before your reshape?"),
        source="https://github.com/ajhalthor/Transformer-Neural-Network/issues/8",
        choices=[
            merged(lambda x: rows(x.transpose(2, 3), x)),
            merged(lambda x: rows(x.transpose(1, 3), x)),
            merged(lambda x: rows(x.permute(0, 2, 3, 1).transpose(1, 2), x)),
            merged(lambda x: rows(x.permute(0, 3, 1, 2), x)),
        ],
    ),
    Mistake(
        id="merge-interleaves-d-h",
        name=N_("the heads are laid down in turn, number by number, instead of one after the other"),
        symptom=N_("The right shape; the heads alternate within a row."),
        explanation=N_(
            "A merged row is all d_k numbers of head 0, then all of head 1, and so on; W_o was trained for that "
            "order. With the axes in the order (d_k, h) the heads alternate."
        ),
        see=N_("Merge heads in which every entry carries the number of its head, and print row 0."),
        question=N_("Which head does the second number of your first row come from?"),
        source='public code: "b n (d h) -> b h n d"',
        choices=[merged(lambda x: x.permute(0, 2, 3, 1).flatten(2))],
    ),
    Mistake(
        id="merge-view-without-contiguous",
        name=N_("`view` right after the transpose"),
        symptom=N_("RuntimeError about size and stride."),
        explanation=N_(
            "A transpose only changes the order in which memory is read, and `view` refuses to join axes that are not "
            "neighbours in memory. `reshape`, or `contiguous()` before `view`, copies the numbers into the new order."
        ),
        see=N_("Print is_contiguous() before and after the transpose."),
        question=N_("What does the exception tell you to use instead of view?"),
        source="https://github.com/facebookresearch/fairseq/issues/2598",
        choices=[merged(_view_of_transposed)],
        crashes=[Crash("RuntimeError", r"view size is not compatible with input tensor's size and stride")],
    ),
    Mistake(
        id="heads-averaged-not-concatenated",
        name=N_("the heads are averaged or added up instead of laid side by side"),
        symptom=N_("A wrong width, or the same d_k numbers h times over."),
        explanation=N_(
            "Each head has something of its own to say. A mean or a sum over the heads keeps only d_k numbers of the "
            "d_model, and W_o can no longer tell the heads apart."
        ),
        see=N_("Print the first 2 d_k numbers of a merged row."),
        question=N_("How many numbers per token do h heads with d_k numbers each have to say?"),
        source="https://github.com/awf/functional-transformer/issues/8",
        choices=[
            merged(lambda x: x.mean(dim=1).repeat(1, 1, x.shape[1])),
            merged(lambda x: x.sum(dim=1).repeat(1, 1, x.shape[1])),
            merged(lambda x: x.mean(dim=1)),
            merged(lambda x: x.sum(dim=1)),
            merged(lambda x: x.amax(dim=1).repeat(1, 1, x.shape[1])),
        ],
    ),
    Mistake(
        id="heads-not-joined",
        name=N_("the heads were never joined: the result still has four axes"),
        symptom=N_("Four axes where there should be three."),
        explanation=N_(
            "W_o works on one row of h * d_k numbers for each token. After swapping heads and tokens the last two "
            "axes have to be made one."
        ),
        see=N_("Print the shape right before W_o."),
        question=N_("How many axes should the result have?"),
        source="https://github.com/ajhalthor/Transformer-Neural-Network/pull/4",
        choices=[merged(lambda x: x.transpose(1, 2)), merged(lambda x: x)],
    ),
    Mistake(
        id="lengths-taken-from-keys",
        name=N_("the number of rows was taken from V, where it counts keys, not queries"),
        symptom=N_("Right when there are as many keys as queries, a crash in cross-attention."),
        explanation=N_(
            "There is one answer for each query. In self-attention there are as many keys as queries and nobody "
            "notices; in cross-attention the two lengths differ and the reshape fails."
        ),
        see=N_("Call it with five queries and seven keys."),
        question=N_("Which axis of the weights says how many answers there are?"),
        source="https://github.com/huggingface/transformers/pull/46695",
        choices=[{"merge": _lengths_of_keys}],
        tasks=("multi_head_attention", "missing_transpose"),
    ),
    Mistake(
        id="merge-heads-in-another-order",
        name=N_("the heads are laid side by side in another order"),
        symptom=N_("The right shape; whole blocks of d_k numbers have changed places."),
        explanation=N_(
            "W_o was trained for the order head 0, head 1, and so on. A list that was filled from the end, or a split "
            "that started elsewhere, changes the blocks round."
        ),
        see=N_("Merge heads in which every entry carries the number of its head, and print row 0."),
        question=N_("Which head do the first d_k numbers of your merged row come from?"),
        choices=[
            merged(lambda x: x.flip(1).transpose(1, 2).flatten(2)),
            merged(lambda x: x.roll(1, 1).transpose(1, 2).flatten(2)),
        ],
    ),
    Mistake(
        id="fold-undone-in-wrong-order",
        name=N_("heads folded into the batch were unfolded in the wrong order"),
        symptom=N_("Right for one sentence; in a batch the heads of different sentences are mixed."),
        explanation=N_(
            "(B * h, n, d_k) runs sentence by sentence or head by head, depending on how it was made. Unfolding it as "
            "(h, B, n, d_k) when it was folded as (B, h, n, d_k) gives sentences each other's heads."
        ),
        see=N_("Fold and unfold a tensor in which every entry carries the number of its sentence."),
        question=N_("Which comes first in your folded axis, sentences or heads?"),
        choices=[
            merged(unfolded),
            {**merged(unfolded), "weights": lambda c: {"shown": other_order(c["weights"])}},
            {"weights": lambda c: {"shown": other_order(c["weights"])}},
            merged(lambda x: merge_heads(undone(x), x.shape[1])),
            {
                "merge": lambda c: {"merged": merge_heads(undone(c["context"]), c["h"])},
                "weights": lambda c: {"shown": undone(c["weights"])},
            },
            {"weights": lambda c: {"shown": undone(c["weights"])}},
        ],
    ),
    Mistake(
        id="merge-repeats-one-head",
        name=N_("one head is laid down h times"),
        symptom=N_("The right shape; the same d_k numbers stand h times in every row."),
        explanation=N_("The index of the head stands still in the line that joins them, so the other heads are lost."),
        see=N_("Print the first 2 d_k numbers of a merged row."),
        question=N_("Which heads does your merged row contain?"),
        choices=[
            merged(lambda x: x[:, 0].repeat(1, 1, x.shape[1])),
            merged(lambda x: x[:, -1].repeat(1, 1, x.shape[1])),
        ],
    ),
    Mistake(
        id="heads-joined-along-the-sequence",
        name=N_("the heads are laid one after the other along the sequence instead of side by side"),
        symptom=N_("A result with h times as many rows of d_k numbers, or a crash in W_o."),
        explanation=N_(
            "torch.cat joins along the axis that it is told. The heads of one token must become one longer row, so the "
            "axis is the last."
        ),
        see=N_("Print the shape right before W_o."),
        question=N_("Along which axis do you join the heads?"),
        choices=[merged(lambda x: torch.cat(list(x.unbind(1)), dim=1))],
        tasks=("multi_head_attention", "merge_heads", "missing_transpose"),
    ),
    Mistake(
        id="head-left-out",
        name=N_("one head is missing: the first or the last"),
        symptom=N_("d_k zeros in every row, rows that are too short, or a crash in W_o."),
        explanation=N_(
            "A loop that starts at 1 or ends at h - 1 leaves a head out. range(h) runs from 0 to h - 1, all of them."
        ),
        see=N_("Merge heads in which every entry carries the number of its head, and print row 0."),
        question=N_("Which numbers does the index of your heads run through?"),
        choices=[
            merged(lambda x: _without(x, -1)),
            merged(lambda x: _without(x, 0)),
            merged(lambda x: x[:, :-1].transpose(1, 2).flatten(2)),
            merged(lambda x: x[:, 1:].transpose(1, 2).flatten(2)),
        ],
    ),
)
