"""Mistakes made between queries, keys and weights: the product, its scale, the softmax."""

from __future__ import annotations

import torch
from headcheck.diagnosis.bank import Mistake
from headcheck.i18n import N_

from solutions.attention import attention_scores


def _products(Q: torch.Tensor, K: torch.Tensor) -> torch.Tensor:
    return Q @ K.transpose(-2, -1)  # (B, h, n_q, n_k), not scaled


def _sqrt_d_model(Q: torch.Tensor, K: torch.Tensor) -> torch.Tensor:
    d_model = Q.shape[1] * Q.shape[-1]
    return (_products(Q, K) / d_model**0.5).softmax(dim=-1)


def _missing(Q: torch.Tensor, K: torch.Tensor) -> torch.Tensor:
    return _products(Q, K).softmax(dim=-1)


def _inverted(Q: torch.Tensor, K: torch.Tensor) -> torch.Tensor:
    return (_products(Q, K) * Q.shape[-1] ** 0.5).softmax(dim=-1)


def _twice(Q: torch.Tensor, K: torch.Tensor) -> torch.Tensor:
    return (_products(Q, K) / Q.shape[-1]).softmax(dim=-1)


def _after_softmax(Q: torch.Tensor, K: torch.Tensor) -> torch.Tensor:
    return _products(Q, K).softmax(dim=-1) / Q.shape[-1] ** 0.5


def _sqrt_heads(Q: torch.Tensor, K: torch.Tensor) -> torch.Tensor:
    return (_products(Q, K) / Q.shape[1] ** 0.5).softmax(dim=-1)


def _sqrt_keys(Q: torch.Tensor, K: torch.Tensor) -> torch.Tensor:
    return (_products(Q, K) / K.shape[2] ** 0.5).softmax(dim=-1)


def _sqrt_queries(Q: torch.Tensor, K: torch.Tensor) -> torch.Tensor:
    return (_products(Q, K) / Q.shape[2] ** 0.5).softmax(dim=-1)


def _over_queries(Q: torch.Tensor, K: torch.Tensor) -> torch.Tensor:
    return attention_scores(Q, K).softmax(dim=-2)


def _over_heads(Q: torch.Tensor, K: torch.Tensor) -> torch.Tensor:
    return attention_scores(Q, K).softmax(dim=1)


def _joint(Q: torch.Tensor, K: torch.Tensor) -> torch.Tensor:
    scores = attention_scores(Q, K)
    B, h, n_q, n_k = scores.shape
    flat = scores.transpose(1, 2).reshape(B, n_q, h * n_k).softmax(dim=-1)
    return flat.view(B, n_q, h, n_k).transpose(1, 2)  # (B, h, n_q, n_k)


def _keys_heads_swapped(Q: torch.Tensor, K: torch.Tensor) -> torch.Tensor:
    return (Q @ K.transpose(1, 2) / Q.shape[-1] ** 0.5).softmax(dim=-1)


def _keys_reversed(Q: torch.Tensor, K: torch.Tensor) -> torch.Tensor:
    return (Q @ K.permute(3, 2, 1, 0) / Q.shape[-1] ** 0.5).softmax(dim=-1)  # what K.T does


def _keys_as_they_are(Q: torch.Tensor, K: torch.Tensor) -> torch.Tensor:
    return (Q @ K / Q.shape[-1] ** 0.5).softmax(dim=-1)


MISTAKES = (
    Mistake(
        id="scale-sqrt-d-model",
        name=N_("the scores are divided by the square root of d_model instead of d_k"),
        explanation=N_(
            "A score of one head adds up d_k products, so it grows like sqrt(d_k). Dividing by sqrt(d_model) makes "
            "every score sqrt(h) times too small, and the weights too even."
        ),
        question=N_("How many products are added up in one entry of Q @ K.transpose(-2, -1)?"),
        source="https://github.com/aladdinpersson/Machine-Learning-Collection/issues/65",
        wrong={"d_model_scaling": _sqrt_d_model},
    ),
    Mistake(
        id="scale-missing",
        name=N_("the scores are not scaled at all"),
        explanation=N_(
            "Without the division the scores grow with d_k and softmax gives nearly everything to one key, so hardly "
            "any gradient is left for the others."
        ),
        question=N_("What happens to softmax when all its inputs become ten times larger?"),
        source="https://github.com/PAIR-code/tiny-transformers/issues/71",
        wrong={"d_model_scaling": _missing},
    ),
    Mistake(
        id="scale-inverted",
        name=N_("the scores are multiplied by sqrt(d_k) instead of divided"),
        explanation=N_(
            "The product of two random vectors already grows like sqrt(d_k). Multiplying makes it grow like d_k; "
            "dividing keeps it the same for heads of all sizes."
        ),
        question=N_("Should scores of longer vectors become larger or smaller by the scale?"),
        source="https://github.com/esceptico/perceiver-io/issues/9",
        wrong={"d_model_scaling": _inverted},
    ),
    Mistake(
        id="scale-twice",
        name=N_("the scores are divided by d_k: the square root is missing, or sqrt(d_k) was used twice"),
        explanation=N_(
            "Dividing by sqrt(d_k) twice, once on Q and once on the scores perhaps, is the same as dividing by d_k; "
            "these numbers cannot tell the two apart. Either way the weights become too even."
        ),
        question=N_("In which places do you scale, and what do the factors multiply to?"),
        source="https://github.com/policy-gradient/GRPO-Zero/issues/10",
        wrong={"d_model_scaling": _twice},
    ),
    Mistake(
        id="scale-after-softmax",
        name=N_("the scale comes after softmax instead of before"),
        explanation=N_(
            "Softmax is not linear: scaling its result leaves the proportions as they were and makes the rows add up "
            "to 1 / sqrt(d_k)."
        ),
        question=N_("What do the rows of your weights add up to?"),
        source="https://github.com/FrancescoSaverioZuppichini/ViT/blob/main/README.md",
        wrong={"d_model_scaling": _after_softmax},
    ),
    Mistake(
        id="scale-by-another-axis",
        name=N_("the scores are divided by the square root of the wrong size: h or n instead of d_k"),
        explanation=N_(
            "The scale belongs to the length of the vectors that are multiplied, the last axis of Q and K. The number "
            "of heads or tokens does not change the size of a score."
        ),
        question=N_("Which axis of Q disappears in the product Q @ K.transpose(-2, -1)?"),
        source="https://github.com/tenstorrent/tt-metal/pull/56789",
        wrong={"d_model_scaling": _sqrt_heads},
        also={"d_model_scaling": [_sqrt_keys, _sqrt_queries]},
    ),
    Mistake(
        id="softmax-over-queries",
        name=N_("softmax runs over the queries instead of the keys"),
        explanation=N_(
            "Each query divides its attention among the keys, so each row must add up to 1. Over axis -2 the columns "
            "add up to 1, and queries compete for keys."
        ),
        question=N_("Which axis of (B, h, n_q, n_k) should add up to 1?"),
        source="https://github.com/labmlai/annotated_deep_learning_paper_implementations/issues/146",
        wrong={"d_model_scaling": _over_queries},
    ),
    Mistake(
        id="softmax-over-heads",
        name=N_("softmax runs over the heads instead of the keys"),
        explanation=N_(
            "`dim=1` was the right axis before there were heads. In (B, h, n_q, n_k) it makes heads compete with one "
            "another, and the rows no longer add up to 1."
        ),
        question=N_("What is axis 1 of (B, h, n_q, n_k)?"),
        source="https://github.com/jadore801120/attention-is-all-you-need-pytorch/issues/52",
        wrong={"d_model_scaling": _over_heads},
    ),
    Mistake(
        id="softmax-joint-over-heads-and-keys",
        name=N_("one softmax over the keys of all heads together"),
        explanation=N_(
            "Each head divides its own attention. When all heads share one softmax, a head with small scores gets "
            "almost nothing, and only the sum over all heads is 1."
        ),
        question=N_("What do the weights of one query in one head add up to?"),
        source="https://github.com/facebookresearch/detr/issues/247",
        wrong={"d_model_scaling": _joint},
    ),
    Mistake(
        id="softmax-missing",
        name=N_("scores are returned where weights are asked for: there is no softmax"),
        explanation=N_(
            "Weights are positive and each row adds up to 1. Scores can be negative and add up to anything."
        ),
        question=N_("What do the rows of your result add up to?"),
        source="https://github.com/ruvnet/agentic-flow/issues/191",
        wrong={"d_model_scaling": attention_scores},
    ),
    Mistake(
        id="key-transpose-wrong-axes",
        name=N_("the wrong axes of K are swapped"),
        explanation=N_(
            "Only the last two axes of K change places: (B, h, n_k, d_k) becomes (B, h, d_k, n_k). `transpose(1, 2)` "
            "swaps heads with tokens, and `.T` turns all four axes round."
        ),
        question=N_("Which shape must K have so that Q (B, h, n_q, d_k) @ K gives (B, h, n_q, n_k)?"),
        source="https://github.com/d2l-ai/d2l-en",
        wrong={"d_model_scaling": _keys_heads_swapped},
        also={"d_model_scaling": [_keys_reversed, _keys_as_they_are]},
    ),
)
