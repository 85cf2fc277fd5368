"""Sizes for variants, drawn so that no two of them can be confused, and the place of the texts."""

import random
from pathlib import Path
from typing import Any

from headcheck.quiz.question import Params
from headcheck.quiz.texts import Texts

HEADS_AND_WIDTHS = (2, 4, 8, 16)
LENGTHS = (3, 5, 6, 7, 9, 10, 11, 12)
"""Shares no number with the heads and widths, and none is a product of two of those."""

TEXTS = Path(__file__).parent / "text"


def texts(question: str) -> Texts:
    """Find the texts of a question in the folder beside this file."""
    return Texts(TEXTS / f"{question}.yaml")


def model_sizes(rng: random.Random) -> dict[str, Any]:
    """Draw h and d_k, never equal, and with them d_model = h d_k: h divides d_model by construction."""
    h, d_k = rng.sample(HEADS_AND_WIDTHS, 2)
    return {"h": h, "d_model": h * d_k}


def input_sizes(rng: random.Random) -> dict[str, Any]:
    """Draw B, n, h and d_model so that B, n, h and d_k all differ."""
    B, n = rng.sample(LENGTHS, 2)
    return {"B": B, "n": n, **model_sizes(rng)}


def cross_sizes(rng: random.Random) -> dict[str, Any]:
    """Draw the sizes of a cross-attention call; B, n_q, n_k, h and d_k all differ."""
    B, n_q, n_k = rng.sample(LENGTHS, 3)
    return {"B": B, "n_q": n_q, "n_k": n_k, **model_sizes(rng)}


def d_k(p: Params) -> int:
    """Compute the width of one head."""
    return int(p["d_model"]) // int(p["h"])


def head_width(p: Params) -> dict[str, Any]:
    """Give the width of one head to the texts, as d_k."""
    return {"d_k": d_k(p)}
