"""Mistakes in the sentence with two relations, where matrices are used as X @ W and there is no batch."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import torch
from headcheck.diagnosis.bank import Mistake
from headcheck.i18n import N_

from solutions.two_relations import Head, block_diagonal, heads_apart

Weigh = Callable[[torch.Tensor, torch.Tensor, int], torch.Tensor]
"""Queries and keys (h, n, d_k) and d_model to weights (h, n, n)."""


def _columns(x: torch.Tensor, h: int) -> torch.Tensor:
    return torch.stack(x.chunk(h, dim=1))  # (h, n, d_k)


def _weigh(Q: torch.Tensor, K: torch.Tensor, d_model: int) -> torch.Tensor:
    return (Q @ K.mT / math.sqrt(Q.shape[-1])).softmax(dim=-1)


def _scaled(factor: Callable[[int, int], float], dim: int = -1) -> Weigh:
    return lambda Q, K, d_model: (Q @ K.mT * factor(Q.shape[-1], d_model)).softmax(dim=dim)


def _right(d_k: int, d_model: int) -> float:
    return d_k**-0.5


PATTERNS: Mapping[str, tuple[Weigh, ...]] = {
    "scale-sqrt-d-model": (_scaled(lambda d_k, d_model: d_model**-0.5),),
    "scale-missing": (_scaled(lambda d_k, d_model: 1.0),),
    "scale-inverted": (_scaled(lambda d_k, d_model: d_k**0.5),),
    "scale-twice": (_scaled(lambda d_k, d_model: 1 / d_k),),
    "softmax-over-queries": (_scaled(_right, dim=-2),),
    "softmax-over-heads": (_scaled(_right, dim=0),),
    "softmax-joint-over-queries-and-keys": (
        lambda Q, K, d_model: (Q @ K.mT / math.sqrt(Q.shape[-1])).flatten(1).softmax(-1).view(*Q.shape[:2], -1),
    ),
    "scores-of-keys-by-queries": (lambda Q, K, d_model: _weigh(K, Q, d_model),),
    "weights-are-logits": (lambda Q, K, d_model: Q @ K.mT / math.sqrt(Q.shape[-1]),),
    "weights-averaged-over-heads": (
        lambda Q, K, d_model: _weigh(Q, K, d_model).mean(dim=0),
        lambda Q, K, d_model: _weigh(Q, K, d_model).mean(dim=0, keepdim=True),
    ),
    "attends-over-heads": (
        lambda Q, K, d_model: _weigh(Q.transpose(0, 1), K.transpose(0, 1), d_model),
        lambda Q, K, d_model: _weigh(Q.transpose(0, 1), K.transpose(0, 1), d_model).transpose(0, 1),
    ),
}
"""Known mistakes as they come out in `head_patterns`."""

SPLITS: Mapping[str, Callable[[torch.Tensor, int], torch.Tensor]] = {
    "split-view-no-transpose": lambda x, h: x.reshape(h, x.shape[0], -1),
    "split-interleaved-d-h": lambda x, h: torch.stack([x[:, i::h] for i in range(h)]),
}


def patterns(
    X: torch.Tensor,
    W_q: torch.Tensor,
    W_k: torch.Tensor,
    h: int,
    split: Callable[[torch.Tensor, int], torch.Tensor] = _columns,
    weigh: Weigh = _weigh,
) -> torch.Tensor:
    """Compute the weights of all heads with another way to split or to weigh.

    Args:
        X: (n, d_model).
        W_q: (d_model, d_model).
        W_k: (d_model, d_model).
        h: number of heads.
        split: (n, d_model), h -> (h, n, d_k).
        weigh: Q, K, d_model -> weights.

    Returns:
        (h, n, n), or what the mistake makes of it.
    """
    return weigh(split(X @ W_q, h), split(X @ W_k, h), X.shape[1])


def _weighing(weigh: Weigh) -> Callable[..., torch.Tensor]:
    return lambda X, W_q, W_k, h: patterns(X, W_q, W_k, h, weigh=weigh)


def _splitting(split: Callable[[torch.Tensor, int], torch.Tensor]) -> Callable[..., torch.Tensor]:
    return lambda X, W_q, W_k, h: patterns(X, W_q, W_k, h, split=split)


def small_heads(X: torch.Tensor, heads: Sequence[Head], weigh: Weigh = _weigh) -> list[torch.Tensor]:
    """Run each head on its own columns with another way to weigh: h results (n, d_k)."""
    found = []
    for x, (W_q, W_k, W_v) in zip(X.chunk(len(heads), dim=1), heads, strict=True):
        found.append((weigh((x @ W_q)[None], (x @ W_k)[None], X.shape[1]) @ x @ W_v)[0])
    return found


def _apart(weigh: Weigh) -> Callable[..., torch.Tensor]:
    return lambda X, heads: torch.cat(small_heads(X, heads, weigh), dim=1)


APART = ("scale-sqrt-d-model", "scale-missing", "scale-inverted", "scale-twice", "softmax-over-queries",
         "scores-of-keys-by-queries")  # fmt: skip
"""Of PATTERNS, what can be done in `heads_apart` too."""


def _mixed(X: torch.Tensor, heads: Sequence[Head], value: Callable[[torch.Tensor, Head], torch.Tensor]) -> torch.Tensor:
    results = []
    for x, head in zip(X.chunk(len(heads), dim=1), heads, strict=True):
        weights = _weigh(x @ head[0], x @ head[1], X.shape[1])
        results.append(weights @ value(x, head))
    return torch.cat(results, dim=1)


FURTHER: dict[str, dict[str, tuple[Callable[..., torch.Tensor], ...]]] = {
    **{name: {"head_patterns": tuple(map(_weighing, ways))} for name, ways in PATTERNS.items()},
    **{name: {"head_patterns": (_splitting(way),)} for name, way in SPLITS.items()},
    **{
        name: {
            task: tuple(map(way, PATTERNS[name]))
            for task, way in (("head_patterns", _weighing), ("heads_apart", _apart))
        }
        for name in APART
    },
    "heads-averaged-not-concatenated": {
        "heads_apart": (
            lambda X, heads: torch.stack(small_heads(X, heads)).mean(dim=0),
            lambda X, heads: torch.stack(small_heads(X, heads)).sum(dim=0),
        )
    },
    "heads-not-joined": {"heads_apart": (lambda X, heads: torch.stack(small_heads(X, heads)),)},
    "heads-joined-along-the-sequence": {"heads_apart": (lambda X, heads: torch.cat(small_heads(X, heads), dim=0),)},
    "merge-heads-in-another-order": {"heads_apart": (lambda X, heads: torch.cat(small_heads(X, heads)[::-1], dim=1),)},
    "merge-interleaves-d-h": {"heads_apart": (lambda X, heads: torch.stack(small_heads(X, heads), -1).flatten(1),)},
    "context-from-keys": {"heads_apart": (lambda X, heads: _mixed(X, heads, lambda x, head: x @ head[1]),)},
}
"""Known mistakes of other modules -> task -> ways to make them here."""


def _interleaved(X: torch.Tensor, heads: Sequence[Head]) -> torch.Tensor:
    return heads_apart(torch.cat([X[:, i :: len(heads)] for i in range(len(heads))], dim=1), heads)


MISTAKES = (
    Mistake(
        id="blocks-in-another-order",
        name=N_("the two blocks have changed places"),
        symptom=N_("Right shape, right zeros when both blocks are of one size, wrong numbers in both corners."),
        explanation=N_(
            "The first matrix belongs to the first columns of X, the second to the last. With the blocks exchanged, "
            "each head works with the other's matrices."
        ),
        see=N_("Use blocks [[1]] and [[2]] and read the diagonal."),
        question=N_("Which of the two matrices should stand at the upper left?"),
        wrong={"block_diagonal": lambda A, B: block_diagonal(B, A)},
    ),
    Mistake(
        id="blocks-off-the-diagonal",
        name=N_("the blocks stand at the upper right and the lower left"),
        symptom=N_("Zeros on the diagonal, the blocks beside it."),
        explanation=N_(
            "A block at the upper right makes the last columns of Q from the first columns of X: each head asks "
            "its question about what the other one is meant to see."
        ),
        see=N_("Multiply the row (1, 1, 100, 100) by your matrix: where does the 100 come out?"),
        question=N_("Which columns of X does your upper right block read, and which columns of Q does it write?"),
        wrong={
            "block_diagonal": lambda A, B: torch.cat(
                [torch.cat([torch.zeros(len(A), len(B)), A], 1), torch.cat([B, torch.zeros(len(B), len(A))], 1)]
            )
        },
        also={"block_diagonal": [lambda A, B: block_diagonal(A, B).flip(1)]},
    ),
    Mistake(
        id="blocks-without-zeros",
        name=N_("the room beside the blocks is not filled with zeros"),
        symptom=N_("The blocks are right, and other numbers stand beside them."),
        explanation=N_(
            "Every number outside the two blocks lets one head see the other's columns. Only zeros keep them apart."
        ),
        see=N_("Print the matrix for two blocks of size one."),
        question=N_("What should a token's last columns add to the first head?"),
        wrong={"block_diagonal": lambda A, B: torch.cat([torch.cat([A, A], 1), torch.cat([B, B], 1)])},
        also={
            "block_diagonal": [
                lambda A, B: torch.cat([torch.cat([A, B], 1), torch.cat([A, B], 1)]),
                lambda A, B: torch.cat([torch.cat([A, B], 1), torch.cat([B, A], 1)]),
                lambda A, B: block_diagonal(A, B) + 1 - block_diagonal(torch.ones_like(A), torch.ones_like(B)),
            ]
        },
    ),
    Mistake(
        id="one-block-for-both",
        name=N_("one of the two matrices stands in both blocks"),
        symptom=N_("One corner is right, the other repeats it."),
        explanation=N_("Each head has a matrix of its own. With one block twice, both heads ask the same question."),
        see=N_("Use blocks [[1]] and [[2]] and read the diagonal."),
        question=N_("Where does the second argument appear in your matrix?"),
        wrong={"block_diagonal": lambda A, B: block_diagonal(A, A)},
        also={"block_diagonal": [lambda A, B: block_diagonal(B, B)]},
    ),
    Mistake(
        id="blocks-transposed",
        name=N_("the blocks are transposed"),
        symptom=N_("Right places, right diagonal, rows and columns of the blocks exchanged."),
        explanation=N_("In X @ W a row of W belongs to a column of X. Transposing is what nn.Linear does, not X @ W."),
        see=N_("Use a block that is not symmetric, such as [[1, 2], [3, 4]]."),
        question=N_("Why is there a transpose in your function?"),
        wrong={"block_diagonal": lambda A, B: block_diagonal(A.T, B.T)},
    ),
    Mistake(
        id="kronecker-product",
        name=N_("this is the Kronecker product of the two matrices"),
        symptom=N_("A matrix of p q rows, not p + q."),
        explanation=N_(
            "A Kronecker product multiplies every entry of one matrix by the whole of the other. Blocks are only put "
            "beside each other; nothing is multiplied."
        ),
        see=N_("Print the shape for blocks of size 2 and 3."),
        question=N_("How many rows should blocks of size 2 and 3 give together?"),
        wrong={"block_diagonal": lambda A, B: torch.kron(A, B)},
    ),
    Mistake(
        id="matrix-transposed",
        name=N_("the matrices are used as X @ W.T"),
        symptom=N_("Right shape, plausible weights, all of them wrong."),
        explanation=N_(
            "nn.Linear keeps its weight as (out, in) and computes x @ weight.T. Here the matrices are written for the "
            "formula X @ W; the transpose makes another matrix of them."
        ),
        see=N_("Try W_q = [[0, 1], [0, 0]] on the token (1, 0) by hand."),
        question=N_("Which of X @ W and X @ W.T does the text of the task use?"),
        wrong={
            "head_patterns": lambda X, W_q, W_k, h: patterns(X, W_q.T, W_k.T, h),
            "heads_apart": lambda X, heads: heads_apart(X, [tuple(W.T for W in head) for head in heads]),
        },
    ),
    Mistake(
        id="keys-from-query-matrix",
        name=N_("queries and keys are made with the same matrix"),
        symptom=N_("The scores form a symmetric matrix."),
        explanation=N_(
            "With one matrix for both, a token looks at another exactly as much as that one looks back, before "
            "softmax. 'o looks at Kedi' needs no answer from Kedi."
        ),
        see=N_("Compare the scores with their transpose."),
        question=N_("Where is W_k used in your function?"),
        wrong={
            "head_patterns": lambda X, W_q, W_k, h: patterns(X, W_q, W_q, h),
            "heads_apart": lambda X, heads: heads_apart(X, [(W_q, W_q, W_v) for W_q, _, W_v in heads]),
        },
        also={"head_patterns": [lambda X, W_q, W_k, h: patterns(X, W_k, W_k, h)]},
    ),
    Mistake(
        id="values-not-projected",
        name=N_("the heads mix the columns of X, not the values X @ W_v"),
        symptom=N_("Right shape; every head gives back a mean of what it was given."),
        explanation=N_(
            "Weights say where to look; W_v says what is fetched from there. Without it X itself is fetched."
        ),
        see=N_("Use W_v = 2 and one token: the result should be twice the token."),
        question=N_("Where is W_v used in your function?"),
        wrong={"heads_apart": lambda X, heads: _mixed(X, heads, lambda x, head: x)},
    ),
    Mistake(
        id="every-head-sees-the-first-columns",
        name=N_("every head works on the first columns of X"),
        symptom=N_("The first columns of the result are right, the others are not."),
        explanation=N_(
            "Head i owns columns i * d_k to (i + 1) * d_k. On the first columns all heads see the same part of the "
            "token, and the rest of it is seen by none."
        ),
        see=N_("Change the last column of X: does the result change?"),
        question=N_("Which columns of X does head 1 get in your loop?"),
        wrong={"heads_apart": lambda X, heads: heads_apart(X[:, : len(heads[0][0])].repeat(1, len(heads)), heads)},
    ),
    Mistake(
        id="every-other-column",
        name=N_("the columns of X are dealt out one by one instead of in blocks"),
        symptom=N_("Right shape, all numbers wrong."),
        explanation=N_(
            "Head i owns a block of columns. X[:, i::h] takes every h-th column, which are the columns of all."
        ),
        see=N_("Print the column numbers that your head 0 gets, for 2 heads of 4 columns."),
        question=N_("Which columns belong to head 0?"),
        wrong={"heads_apart": _interleaved},
    ),
    Mistake(
        id="heads-with-each-others-columns",
        name=N_("the heads work on each other's columns"),
        symptom=N_("Right shape, all numbers wrong unless all columns are alike."),
        explanation=N_("The first triple of matrices belongs to the first block of columns, the second to the second."),
        see=N_("Set the first block of X to zero: which columns of the result become zero?"),
        question=N_("Which columns does the first triple get in your loop?"),
        wrong={"heads_apart": lambda X, heads: heads_apart(torch.cat(X.chunk(len(heads), dim=1)[::-1], dim=1), heads)},
    ),
)
