"""Mistakes made where scores become weights."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from headcheck.diagnosis.bank import Choice, Context, Mistake
from headcheck.i18n import N_

from solutions.pipeline import fill_padding

FILLS = (-1e9, -math.inf, 0.0, -1e4, -1e10, -1e18, -1e20, torch.finfo(torch.float32).min)
"""What raw scores of padding are filled with in the wild; they show where softmax does not flatten them."""


def weigh(turn: Callable[[torch.Tensor], torch.Tensor]) -> Choice:
    """Turn the scores (B, h, n_q, n_k) into weights in another way."""
    return {"softmax": lambda c: {"weights": turn(c["scores"])}}


def _joint(scores: torch.Tensor) -> torch.Tensor:
    B, h, n_q, n_k = scores.shape
    flat = scores.transpose(1, 2).reshape(B, n_q, h * n_k).softmax(dim=-1)
    return flat.view(B, n_q, h, n_k).transpose(1, 2)  # (B, h, n_q, n_k)


def _whole_map(scores: torch.Tensor) -> torch.Tensor:
    return scores.flatten(-2).softmax(dim=-1).view_as(scores)  # one softmax over queries and keys


def _shares(scores: torch.Tensor) -> torch.Tensor:
    return scores / scores.sum(dim=-1, keepdim=True)


def _positive_shares(scores: torch.Tensor) -> torch.Tensor:
    positive = scores.relu()
    return positive / (positive.sum(dim=-1, keepdim=True) + 1e-9)


def _unnormalised(scores: torch.Tensor) -> torch.Tensor:
    return scores.exp()


def _shifted_unnormalised(scores: torch.Tensor) -> torch.Tensor:
    return (scores - scores.amax(dim=-1, keepdim=True)).exp()


def _hard(c: Context) -> Context:
    best = c["scores"].argmax(dim=-1, keepdim=True)
    return {"weights": torch.zeros_like(c["scores"]).scatter(-1, best, 1.0)}


RAW = weigh(lambda scores: scores)

MISTAKES = (
    Mistake(
        id="softmax-over-queries",
        name=N_("softmax runs over the queries instead of the keys"),
        symptom=N_("The columns of the weights add up to 1, the rows do not; with padding NaN may appear."),
        explanation=N_(
            "Each query divides its attention among the keys, so each row must add up to 1. Over axis -2 the columns "
            "add up to 1, and queries compete for keys."
        ),
        see=N_("Print weights.sum(-1) and weights.sum(-2)."),
        question=N_("Which axis of (B, h, n_q, n_k) should add up to 1?"),
        source="https://github.com/labmlai/annotated_deep_learning_paper_implementations/issues/146",
        choices=[weigh(lambda scores: scores.softmax(dim=-2))],
    ),
    Mistake(
        id="softmax-over-heads",
        name=N_("softmax runs over the heads instead of the keys"),
        symptom=N_("Rows do not add up to 1; the sum over all heads does."),
        explanation=N_(
            "`dim=1` was the right axis before there were heads. In (B, h, n_q, n_k) it makes heads compete with one "
            "another, and the rows no longer add up to 1."
        ),
        see=N_("Print weights.sum(-1) and weights.sum(1)."),
        question=N_("What is axis 1 of (B, h, n_q, n_k)?"),
        source="https://github.com/jadore801120/attention-is-all-you-need-pytorch/issues/52",
        choices=[weigh(lambda scores: scores.softmax(dim=1))],
    ),
    Mistake(
        id="softmax-over-batch",
        name=N_("softmax runs over the sentences of the batch"),
        symptom=N_("Rows do not add up to 1, and a batch of one gets weight 1 everywhere."),
        explanation=N_(
            "Axis 0 counts sentences, which must know nothing of one another. The keys are on the last axis."
        ),
        see=N_("Run one sentence alone and then in a batch: its weights should not change."),
        question=N_("What is axis 0 of (B, h, n_q, n_k)?"),
        choices=[
            weigh(lambda scores: scores.softmax(dim=0)),
            weigh(lambda scores: scores.flatten(0, 1).softmax(dim=0).view_as(scores)),  # heads folded into the batch
        ],
    ),
    Mistake(
        id="softmax-joint-over-heads-and-keys",
        name=N_("one softmax over the keys of all heads together"),
        symptom=N_("Rows add up to less than 1; the rows of all heads together add up to 1."),
        explanation=N_(
            "Each head divides its own attention. When all heads share one softmax, a head with small scores gets "
            "almost nothing, and only the sum over all heads is 1."
        ),
        see=N_("Print weights.sum(-1) and weights.sum((1, -1))."),
        question=N_("What do the weights of one query in one head add up to?"),
        source="https://github.com/facebookresearch/detr/issues/247",
        choices=[weigh(_joint)],
    ),
    Mistake(
        id="softmax-joint-over-queries-and-keys",
        name=N_("one softmax over all pairs of queries and keys"),
        symptom=N_("Rows add up to less than 1; the whole map adds up to 1."),
        explanation=N_(
            "Every query has a whole attention to give. One softmax over the flattened map divides it once."
        ),
        see=N_("Print weights.sum(-1) and weights.sum((-2, -1))."),
        question=N_("What do the weights of one query in one head add up to?"),
        choices=[weigh(_whole_map)],
    ),
    Mistake(
        id="softmax-missing",
        name=N_("scores are used where weights are needed: there is no softmax"),
        symptom=N_("Weights below 0 or above 1, and rows that add up to anything."),
        explanation=N_(
            "Weights are positive and each row adds up to 1. Scores can be negative and add up to anything."
        ),
        see=N_("Add up a row of the weights, and look for negative ones."),
        question=N_("What do the rows of your result add up to?"),
        source="https://github.com/ruvnet/agentic-flow/issues/191",
        choices=[RAW, *({**RAW, "mask": fill_padding(fill)} for fill in FILLS)],
    ),
    Mistake(
        id="softmax-replaced",
        name=N_("something else than softmax turns the scores into weights"),
        symptom=N_("Rows that do not add up to 1, or weights that are too flat or too hard."),
        explanation=N_(
            "Softmax takes exp of every score and divides by the sum of the row. A sigmoid judges every key by itself, "
            "dividing the plain scores by their sum lets negative ones through, and exp alone is not normalised."
        ),
        see=N_("Compare with torch.softmax(scores, dim=-1) on a row of three numbers."),
        question=N_("Are all your weights positive, and does each row add up to 1?"),
        choices=[
            weigh(torch.sigmoid),
            weigh(_shares),
            weigh(_positive_shares),
            weigh(_unnormalised),
            weigh(_shifted_unnormalised),
            weigh(torch.relu),
            weigh(torch.tanh),
            {"softmax": _hard},
        ],
    ),
    Mistake(
        id="softmax-logarithm",
        name=N_("the weights are logarithms: log_softmax instead of softmax"),
        symptom=N_("All weights are negative; exp of a row adds up to 1."),
        explanation=N_("log_softmax is meant for losses. Weights must be the probabilities themselves."),
        see=N_("Print the largest weight: it should be positive."),
        question=N_("Can a share of attention be negative?"),
        choices=[weigh(lambda scores: scores.log_softmax(dim=-1))],
    ),
    Mistake(
        id="softmax-twice",
        name=N_("softmax is applied twice"),
        symptom=N_("Rows add up to 1, and the weights are nearly uniform; padding gets weight again."),
        explanation=N_(
            "The second softmax sees numbers between 0 and 1 and turns them into almost equal shares. A hidden key "
            "has weight 0 after the first and exp(0) = 1 before the second."
        ),
        see=N_("Print the largest and the smallest weight of a row."),
        question=N_("How many times do your scores pass a softmax?"),
        choices=[weigh(lambda scores: scores.softmax(dim=-1).softmax(dim=-1))],
    ),
)
