"""Mistakes made between queries, keys and scores: the product and its scale."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from headcheck.diagnosis.bank import Choice, Context, Mistake
from headcheck.i18n import N_

from solutions.pipeline import scaled


def product(multiply: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> Choice:
    """Compute the scores in another way from Q (B, h, n_q, d_k) and K (B, h, n_k, d_k)."""
    return {"scores": lambda c: {"scores": multiply(c["Q"], c["K"])}}


def times(factor: Callable[[int, Context], float]) -> Choice:
    """Multiply the scores by another factor, which may depend on d_k and the context."""
    return {"scale": lambda c: scaled(c, factor(c["Q"].shape[-1], c))}


def _d_model(d_k: int, c: Context) -> int:
    return d_k * int(c["h"])


def _reshaped(Q: torch.Tensor, K: torch.Tensor) -> torch.Tensor:
    B, h, n_k, d_k = K.shape
    return Q @ K.reshape(B, h, d_k, n_k)


def _unit(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.normalize(x, dim=-1)


def _scaled_context(c: Context) -> Context:
    return {"context": c["weights"] @ c["V"] / c["V"].shape[-1] ** 0.5}


AFTER_SOFTMAX: Choice = {
    "scale": lambda c: scaled(c, 1.0),
    "rescale": lambda c: {"weights": c["weights"] / c["Q"].shape[-1] ** 0.5},
}

MISTAKES = (
    Mistake(
        id="key-transpose-wrong-axes",
        name=N_("the wrong axes of K are swapped"),
        symptom=N_("Mostly a crash in the product; silent when the sizes happen to fit."),
        explanation=N_(
            "Only the last two axes of K change places: (B, h, n_k, d_k) becomes (B, h, d_k, n_k). `transpose(1, 2)` "
            "swaps heads with tokens, and `.T` turns all four axes round."
        ),
        see=N_("Print the shapes of both factors right before the product."),
        question=N_("Which shape must K have so that Q (B, h, n_q, d_k) @ K gives (B, h, n_q, n_k)?"),
        source="https://github.com/d2l-ai/d2l-en",
        choices=[
            product(lambda Q, K: Q @ K.transpose(1, 2)),
            product(lambda Q, K: Q @ K.permute(3, 2, 1, 0)),  # what K.T does
            product(lambda Q, K: Q @ K),
            product(lambda Q, K: Q @ K.transpose(1, 3)),
            product(lambda Q, K: Q @ K.transpose(0, 1).transpose(-2, -1)),
        ],
    ),
    Mistake(
        id="key-reshaped-not-transposed",
        name=N_("K was brought to (B, h, d_k, n_k) by `view` or `reshape` instead of a transpose"),
        symptom=N_("Right shapes, wrong weights."),
        explanation=N_(
            "The shape is right, but the numbers stay where they are in memory: a column of the result joins parts of "
            "several keys. Only a transpose moves whole columns."
        ),
        see=N_("Compare K.reshape(B, h, d_k, n_k)[0, 0, :, 0] with K[0, 0, 0]."),
        question=N_("Which key stands in the first column of your reshaped K?"),
        choices=[product(_reshaped)],
    ),
    Mistake(
        id="scores-of-keys-by-queries",
        name=N_("the scores are the wrong way round: keys in the rows, queries in the columns"),
        symptom=N_("Weights of shape (B, h, n_k, n_q); with equal lengths only the numbers are wrong."),
        explanation=N_(
            "K @ Q^T asks for every key how much it looks at the queries. Rows must belong to queries: Q @ K^T."
        ),
        see=N_("Use five queries and seven keys and print the shape of the scores."),
        question=N_("Does the first row of your scores belong to the first query or to the first key?"),
        choices=[product(lambda Q, K: K @ Q.transpose(-2, -1))],
    ),
    Mistake(
        id="scores-from-one-head",
        name=N_("all heads use the queries or the keys of one head"),
        symptom=N_("Right shapes; one head is right and the others look at the wrong places."),
        explanation=N_(
            "Head i compares its own queries with its own keys. An index that stands still, or a tensor that was never "
            "split, lets all heads look with the eyes of one. Sharing keys and values is done on purpose in "
            "multi-query attention, but that is another layer."
        ),
        see=N_("Change the rows of W_k that belong to head 1: its weights should change."),
        question=N_("Which head's queries and keys meet in the scores of head 1?"),
        choices=[
            product(lambda Q, K: Q @ K[:, :1].transpose(-2, -1)),
            product(lambda Q, K: Q[:, :1] @ K.transpose(-2, -1)),
            product(lambda Q, K: (Q[:, :1] @ K[:, :1].transpose(-2, -1)).repeat(1, Q.shape[1], 1, 1)),
            {
                **product(lambda Q, K: Q @ K[:, :1].transpose(-2, -1)),
                "context": lambda c: {"context": c["weights"] @ c["V"][:, :1]},
            },
            product(lambda Q, K: Q @ K[:, -1:].transpose(-2, -1)),
            product(lambda Q, K: Q[:, -1:] @ K.transpose(-2, -1)),
            product(lambda Q, K: Q @ K.mean(dim=1, keepdim=True).transpose(-2, -1)),
        ],
    ),
    Mistake(
        id="scores-of-unit-vectors",
        name=N_("queries and keys were normalised before the product"),
        symptom=N_("Right shapes; the weights are nearly uniform."),
        explanation=N_(
            "The cosine of two vectors lies between -1 and 1, whatever their lengths say. Scaled dot-product "
            "attention uses the product itself, so that a long query can insist."
        ),
        see=N_("Multiply q by ten: the weights should become sharper, and do not change."),
        question=N_("What happens to your scores when the queries become ten times longer?"),
        choices=[product(lambda Q, K: _unit(Q) @ _unit(K).transpose(-2, -1))],
    ),
    Mistake(
        id="scale-sqrt-d-model",
        name=N_("the scores are divided by the square root of d_model instead of d_k"),
        symptom=N_("Right shapes, rows add up to 1, and the weights are too even."),
        explanation=N_(
            "A score of one head adds up d_k products, so it grows like sqrt(d_k). Dividing by sqrt(d_model) makes "
            "every score sqrt(h) times too small, and the weights too even."
        ),
        see=N_("Compute one head alone with h = 1: it should agree with the same head among others."),
        question=N_("How many products are added up in one entry of Q @ K.transpose(-2, -1)?"),
        source="https://github.com/aladdinpersson/Machine-Learning-Collection/issues/65",
        choices=[times(lambda d_k, c: _d_model(d_k, c) ** -0.5)],
    ),
    Mistake(
        id="scale-missing",
        name=N_("the scores are not scaled at all"),
        symptom=N_("Right shapes, rows add up to 1, and the weights are too sharp."),
        explanation=N_(
            "Without the division the scores grow with d_k and softmax gives nearly everything to one key, so hardly "
            "any gradient is left for the others."
        ),
        see=N_("Print the standard deviation of the scores for random inputs: it should be about 1."),
        question=N_("What happens to softmax when all its inputs become ten times larger?"),
        source="https://github.com/PAIR-code/tiny-transformers/issues/71",
        choices=[times(lambda d_k, c: 1.0)],
    ),
    Mistake(
        id="scale-inverted",
        name=N_("the scores are multiplied by sqrt(d_k) instead of divided"),
        symptom=N_("Right shapes, rows add up to 1, and nearly all weight lies on one key."),
        explanation=N_(
            "The product of two random vectors already grows like sqrt(d_k). Multiplying makes it grow like d_k; "
            "dividing keeps it the same for heads of all sizes."
        ),
        see=N_("Print the standard deviation of the scores for random inputs: it should be about 1."),
        question=N_("Should scores of longer vectors become larger or smaller by the scale?"),
        source="https://github.com/esceptico/perceiver-io/issues/9",
        choices=[times(lambda d_k, c: d_k**0.5), times(lambda d_k, c: float(d_k))],
    ),
    Mistake(
        id="scale-twice",
        name=N_("the scores are divided by d_k: the square root is missing, or sqrt(d_k) was used twice"),
        symptom=N_("Right shapes, rows add up to 1, and the weights are too even."),
        explanation=N_(
            "Dividing by sqrt(d_k) twice, once on Q and once on the scores perhaps, is the same as dividing by d_k; "
            "these numbers cannot tell the two apart. Either way the weights become too even."
        ),
        see=N_("Write down every factor between Q and softmax and multiply them."),
        question=N_("In which places do you scale, and what do the factors multiply to?"),
        source="https://github.com/policy-gradient/GRPO-Zero/issues/10",
        choices=[times(lambda d_k, c: 1 / d_k)],
    ),
    Mistake(
        id="scale-after-softmax",
        name=N_("the scale comes after softmax instead of before"),
        symptom=N_("The rows of the weights add up to 1 / sqrt(d_k)."),
        explanation=N_(
            "Softmax is not linear: scaling its result leaves the proportions as they were and makes the rows add up "
            "to 1 / sqrt(d_k)."
        ),
        see=N_("Add up a row of the weights."),
        question=N_("What do the rows of your weights add up to?"),
        source="https://github.com/FrancescoSaverioZuppichini/ViT/blob/main/README.md",
        choices=[AFTER_SOFTMAX],
    ),
    Mistake(
        id="scale-on-the-values",
        name=N_("the values are divided by sqrt(d_k), or what they were mixed to, and not the scores alone"),
        symptom=N_("The output is too small by sqrt(d_k) before W_o; the weights may be right."),
        explanation=N_(
            "The scale keeps softmax from giving everything to one key, so it belongs to the scores. Values pass on as "
            "they are: a mean of them should have their own size."
        ),
        see=N_("Set all values to one: the context should be one everywhere."),
        question=N_("Which tensor stands before the division in your code?"),
        choices=[
            {"context": _scaled_context},
            {"scale": lambda c: scaled(c, 1.0), "context": _scaled_context},
        ],
    ),
    Mistake(
        id="scale-is-a-constant",
        name=N_("the scores are divided by a fixed number, whatever d_k is"),
        symptom=N_("Right for one width of heads only, such as that of an example."),
        explanation=N_(
            "sqrt(d_k) is 8 for the 64 columns of the paper and 2 for the 4 columns of a small example. Take d_k from "
            "the shape of Q, so that heads of other widths are right too."
        ),
        see=N_("Print the number that you divide by for two different d_k."),
        question=N_("Where in your code does the number that you divide by come from?"),
        tasks=("multi_head_attention", "attention"),
        choices=[times(lambda d_k, c, by=by: 1 / by) for by in (2.0, 8.0, 4.0, 64.0, 2.0**0.5)],
    ),
    Mistake(
        id="scale-by-another-axis",
        name=N_("the scores are divided by the square root of the wrong size: h, n or B instead of d_k"),
        symptom=N_("Right shapes, rows add up to 1; how far the weights are off changes with the length."),
        explanation=N_(
            "The scale belongs to the length of the vectors that are multiplied, the last axis of Q and K. The number "
            "of heads or tokens does not change the size of a score."
        ),
        see=N_("Repeat a key at the end: all other scores should stay as they were."),
        question=N_("Which axis of Q disappears in the product Q @ K.transpose(-2, -1)?"),
        source="https://github.com/tenstorrent/tt-metal/pull/56789",
        choices=[
            times(lambda d_k, c: c["h"] ** -0.5),
            times(lambda d_k, c: c["K"].shape[2] ** -0.5),
            times(lambda d_k, c: c["Q"].shape[2] ** -0.5),
            times(lambda d_k, c: c["Q"].shape[0] ** -0.5),
        ],
    ),
    Mistake(
        id="scale-not-the-square-root",
        name=N_("the scores are divided by another function of the sizes than sqrt(d_k)"),
        symptom=N_("Right shapes, rows add up to 1, and the weights are too sharp or too even."),
        explanation=N_(
            "A sum of d_k products of random numbers has standard deviation sqrt(d_k). Only dividing by exactly that "
            "keeps the scores at the same size for heads of all widths."
        ),
        see=N_("Print the standard deviation of the scores for random inputs and several d_k."),
        question=N_("What exactly is the number that you divide by, for d_k = 8?"),
        tasks=("multi_head_attention", "attention"),
        choices=[
            times(lambda d_k, c: d_k**-0.25),
            times(lambda d_k, c: 1 / int(d_k**0.5)),
            times(lambda d_k, c: 1 / _d_model(d_k, c)),
            times(lambda d_k, c: d_k**-2.0),
            times(lambda d_k, c: 1 / c["h"]),
            times(lambda d_k, c: 1 / c["K"].shape[2]),
            times(lambda d_k, c: 1 / math.ceil(d_k**0.5)),
            times(lambda d_k, c: d_k**-0.5 / c["h"]),
            times(lambda d_k, c: d_k**-0.75),
            times(lambda d_k, c: _d_model(d_k, c) ** 0.5),
        ],
    ),
)
