"""The two-target task: data, model, training, profiles, ablation, and the statistics about seeds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import mean, stdev

import torch
import torch.nn.functional as F
from torch import nn

from solutions.attention import State

K = 8
"""Different tokens."""

N = 12
"""Length of a sequence."""

ROLES = ("previous", "first")
LOOKS, KNOWS, LOST, KEPT = 0.8, 0.9, 0.25, 0.05
"""When a head looks at a place, a model knows an answer, has lost it, and when the other answer has stayed."""

SOLVED = 0.95
"""Share of positions with both answers right, above which a seed has solved the task."""

STUCK = 0.5
"""Below it a seed is stuck."""

Z = 1.96
"""Of a 95 % interval."""


class Attention(nn.Module):
    """Multi-head self-attention with W_q, W_k and W_v in one matrix, as the notebooks give it."""

    def __init__(self, d_model: int, h: int) -> None:
        super().__init__()
        self.h, self.d_k = h, d_model // h
        self.W_qkv = nn.Linear(d_model, 3 * d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, x: torch.Tensor, keep: torch.Tensor | None = None) -> tuple[torch.Tensor, torch.Tensor]:
        """Attend; heads whose entry in keep (h,) is 0 are taken away: x (m, n, d_model) -> the same, (m, h, n, n)."""
        m, n, d_model = x.shape
        Q, Keys, V = self.W_qkv(x).view(m, n, 3, self.h, self.d_k).permute(2, 0, 3, 1, 4)  # (m, h, n, d_k)
        weights = (Q @ Keys.mT / math.sqrt(self.d_k)).softmax(dim=-1)  # (m, h, n, n)
        context = weights @ V if keep is None else weights @ V * keep[:, None, None]
        return self.W_o(context.transpose(1, 2).reshape(m, n, d_model)), weights


class TwoTargetModel(nn.Module):
    """Answers for every position but the first: what stood before it, and what stood first."""

    def __init__(self, h: int, d_model: int = 32) -> None:
        super().__init__()
        self.token = nn.Embedding(K, d_model)
        self.position = nn.Embedding(N, d_model)
        self.attention = Attention(d_model, h)
        self.previous = nn.Sequential(nn.Linear(d_model, 64), nn.ReLU(), nn.Linear(64, K))
        self.first = nn.Sequential(nn.Linear(d_model, 64), nn.ReLU(), nn.Linear(64, K))

    def forward(
        self, X: torch.Tensor, keep: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """X (m, N) -> logits of both answers (m, N - 1, K) and weights (m, h, N, N)."""
        x = self.token(X) + self.position(torch.arange(X.shape[1]))  # (m, N, d_model)
        fetched, weights = self.attention(x, keep)
        x = (x + fetched)[:, 1:]  # (m, N - 1, d_model)
        return self.previous(x), self.first(x), weights


def draw_batch(m: int, generator: torch.Generator) -> torch.Tensor:
    """Draw m sequences (m, N)."""
    return torch.randint(0, K, (m, N), generator=generator)


def targets(X: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Cut both targets out of sequences: (m, N) -> previous and first, (m, N - 1) each."""
    return X[:, :-1], X[:, :1].expand(-1, X.shape[1] - 1)


def train(h: int, seed: int, steps: int = 400, m: int = 128) -> TwoTargetModel:
    """Train as the lesson does.

    Args:
        h: number of heads.
        seed: of the parameters and of the data.
        steps: batches.
        m: sequences in a batch.

    Returns:
        The model.
    """
    torch.manual_seed(seed)
    model = TwoTargetModel(h)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    generator = torch.Generator().manual_seed(seed)
    for _step in range(steps):
        X = draw_batch(m, generator)
        said = model(X)[:2]
        loss = sum(F.cross_entropy(a.flatten(0, 1), t.flatten()) for a, t in zip(said, targets(X), strict=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model


def accuracies(previous: torch.Tensor, first: torch.Tensor, X: torch.Tensor) -> tuple[float, float]:
    """How often each answer is right; logits (m, N - 1, K), X (m, N)."""
    right = [a.argmax(-1) == t for a, t in zip((previous, first), targets(X), strict=True)]
    return right[0].float().mean().item(), right[1].float().mean().item()


def both_right(previous: torch.Tensor, first: torch.Tensor, X: torch.Tensor) -> float:
    """Share of positions at which both answers are right; logits (m, n - 1, K), X (m, n)."""
    right = [a.argmax(-1) == t for a, t in zip((previous, first), targets(X), strict=True)]
    return (right[0] & right[1]).float().mean().item()


def two_target_model(X: torch.Tensor, state: State, h: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Run a TwoTargetModel with given parameters: logits (m, N - 1, K) twice and weights (m, h, N, N)."""
    model = TwoTargetModel(h, state["token.weight"].shape[1])
    model.load_state_dict(state)
    with torch.no_grad():
        return model(X)


def ablate_head(x: torch.Tensor, i: int, state: State, h: int) -> torch.Tensor:
    """Run an Attention layer without head i.

    Args:
        x: (m, n, d_model).
        i: the head that is taken away.
        state: W_qkv and W_o, weights and biases.
        h: number of heads.

    Returns:
        Output (m, n, d_model).
    """
    layer = Attention(x.shape[-1], h)
    layer.load_state_dict(state)
    keep = torch.ones(h)
    keep[i] = 0
    with torch.no_grad():
        return layer(x, keep)[0]


def attention_profile(weights: torch.Tensor) -> torch.Tensor:
    """Mean weight on place i - 1 and on place 0 over i >= 2: (m, h, n, n) -> (h, 2)."""
    back = weights.diagonal(offset=-1, dim1=-2, dim2=-1)[..., 1:]  # (m, h, n - 2), i = 2, 3, ...
    return torch.stack([back.mean(dim=(0, 2)), weights[:, :, 2:, 0].mean(dim=(0, 2))], dim=1)  # (h, 2)


def role_of(looks: torch.Tensor, full: torch.Tensor, without: torch.Tensor) -> str:
    """Name one head: looks (2,), full (2,), without (2,)."""
    for column, role in enumerate(ROLES):
        other = 1 - column
        loses = full[column] > KNOWS and without[column] < LOST
        if looks[column] > LOOKS and loses and without[other] >= full[other] - KEPT:
            return role
    return "unclear"


def name_roles(profile: torch.Tensor, full: torch.Tensor, ablated: torch.Tensor) -> list[str]:
    """Name heads by weights and ablation.

    Args:
        profile: (h, 2), mean weight on i - 1 and on 0.
        full: (2,), accuracy of the whole model.
        ablated: (h, 2), accuracy without each head.

    Returns:
        "previous", "first" or "unclear" for each head.
    """
    return [role_of(looks, full, without) for looks, without in zip(profile, ablated, strict=True)]


def paired_difference(a: Sequence[float], b: Sequence[float]) -> tuple[float, float, bool]:
    """Compare two settings that ran with the same seeds.

    Args:
        a: results of one setting, seed by seed.
        b: results of the other.

    Returns:
        Mean of b - a, its standard error, and whether the mean is further than two of them from 0.
    """
    differences = [y - x for x, y in zip(a, b, strict=True)]
    se = stdev(differences) / math.sqrt(len(differences))
    return mean(differences), se, abs(mean(differences)) > 2 * se


def success_share(results: Sequence[float]) -> tuple[int, float, float, float]:
    """Count solved seeds, with Wilson's 95 % interval of their share.

    Args:
        results: share of right positions of each seed.

    Returns:
        Solved seeds, their share, and the lower and the upper end of the interval.
    """
    n, solved = len(results), sum(result > SOLVED for result in results)
    share = solved / n
    centre = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z * math.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2)) / (1 + Z**2 / n)
    return solved, share, centre - half, centre + half


def redundancy(full: torch.Tensor, ablated: torch.Tensor) -> tuple[float, float]:
    """Mean and largest drop when one head is taken away: full (seeds,), ablated (seeds, h)."""
    drops = full[:, None] - ablated  # (seeds, h)
    return drops.mean().item(), drops.max().item()


def conclusion(heads: Sequence[int], results: Sequence[Sequence[float]]) -> tuple[list[int], list[int], list[int]]:
    """Read a table of results.

    Args:
        heads: numbers of heads; the first one is what the others are compared with.
        results: for each of them the results seed by seed.

    Returns:
        The h with the highest mean (all of them), those whose seeds either solve or get stuck, and those that differ
        from the first by more than two standard errors.
    """
    means = [mean(row) for row in results]
    best = [h for h, value in zip(heads, means, strict=True) if value >= max(means) - 1e-6]
    split = [h for h, row in zip(heads, results, strict=True) if min(row) < STUCK and max(row) > SOLVED]
    rest = zip(heads[1:], results[1:], strict=True)
    return best, split, [h for h, row in rest if paired_difference(results[0], row)[2]]
