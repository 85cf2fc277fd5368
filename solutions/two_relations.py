"""Reference answers of the Turkish sentence: two relations, two heads, written as X @ W without a batch."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

Head = tuple[torch.Tensor, torch.Tensor, torch.Tensor]
"""W_q, W_k and W_v of one head, (d_k, d_k) each."""

TOKENS = ("Kedi", "masaya", "çıktı", "çünkü", "o", "yorulmuştu")

SENTENCE = (
    (1.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    (0.0, 1.5, 0.0, 0.0, 1.4, 0.0, 0.0, 0.0),
    (0.3, 0.3, 1.2, 0.0, 1.3, 0.2, 0.0, 0.0),
    (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.8),
    (1.3, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.0),
    (0.2, 0.0, 0.9, 0.1, 0.0, 0.0, 1.0, 0.1),
)
"""Embedding of the tokens: columns 0 to 3 say who is who, columns 4 to 7 what leads where."""

SEEDS = (2426, 9678)
"""Seeds of head 0 (o looks at Kedi) and head 1 (çıktı looks at masaya)."""


def sentence() -> torch.Tensor:
    """Return the embedded sentence (6, 8)."""
    return torch.tensor(SENTENCE)


def lesson_head(seed: int) -> Head:
    """Draw the matrices of one of the two heads, (4, 4) each."""
    generator = torch.Generator().manual_seed(seed)
    W_q, W_k, W_v = (torch.randn(4, 4, generator=generator) * 0.5 for _ in range(3))
    return W_q, W_k, W_v


def block_diagonal(A: torch.Tensor, B: torch.Tensor) -> torch.Tensor:
    """Put two square matrices on a diagonal: (p, p), (q, q) -> (p + q, p + q)."""
    return torch.block_diag(A, B)


def head_patterns(X: torch.Tensor, W_q: torch.Tensor, W_k: torch.Tensor, h: int) -> torch.Tensor:
    """Compute the weights of all heads.

    Args:
        X: (n, d_model).
        W_q: (d_model, d_model), used as X @ W_q.
        W_k: the same for keys.
        h: number of heads.

    Returns:
        (h, n, n); every row adds up to 1.
    """
    Q, K = (torch.stack((X @ W).chunk(h, dim=1)) for W in (W_q, W_k))  # (h, n, d_k)
    return (Q @ K.mT / math.sqrt(Q.shape[-1])).softmax(dim=-1)  # (h, n, n)


def heads_apart(X: torch.Tensor, heads: Sequence[Head]) -> torch.Tensor:
    """Run each head on its own columns and lay the results side by side.

    Args:
        X: (n, d_model).
        heads: matrices (d_k, d_k) of each head.

    Returns:
        (n, d_model).
    """
    parts = X.chunk(len(heads), dim=1)
    results = [head_patterns(x, W_q, W_k, 1)[0] @ x @ W_v for x, (W_q, W_k, W_v) in zip(parts, heads, strict=True)]
    return torch.cat(results, dim=1)  # (n, d_model)
