"""Fresh inputs for every run of a hidden test, so that no table of answers can be prepared."""

from __future__ import annotations

import random
import secrets
from collections.abc import Sequence

import torch


class Draw:
    """Random numbers of one hidden test; they live in the trusted process only."""

    def __init__(self, seed: int | None = None) -> None:
        """Start from a seed.

        Args:
            seed: for a repeatable run (tests of the graders); None takes fresh entropy from the system.
        """
        self.seed = secrets.randbits(63) if seed is None else seed
        self.rng = random.Random(self.seed)
        self._torch = torch.Generator().manual_seed(self.seed)

    def tensor(self, *shape: int, std: float = 1.0) -> torch.Tensor:
        """Draw float32 numbers from a normal distribution.

        Args:
            shape: shape of the tensor.
            std: standard deviation.

        Returns:
            A tensor of that shape.
        """
        return torch.randn(shape, generator=self._torch) * std

    def integer(self, low: int, high: int) -> int:
        """Draw an integer, both ends included."""
        return self.rng.randint(low, high)

    def choice(self, values: Sequence[int]) -> int:
        """Draw one of some integers."""
        return self.rng.choice(values)

    def distinct(self, **ranges: tuple[int, int]) -> tuple[int, ...]:
        """Draw sizes that all differ, so that no two axes can be confused.

        Args:
            ranges: name of the size -> (low, high), both ends included.

        Returns:
            One integer per name, in the order given.

        Raises:
            ValueError: the ranges leave no way to make them differ.
        """
        for _attempt in range(1000):
            sizes = tuple(self.rng.randint(low, high) for low, high in ranges.values())
            if len(set(sizes)) == len(sizes):
                return sizes
        raise ValueError(f"no distinct sizes within {ranges}")

    def lengths(self, B: int, n: int) -> list[int]:
        """Draw the lengths of B sequences in a batch padded to n: ragged, none empty, the longest full, not all equal.

        Args:
            B: number of sequences, at least 2.
            n: padded length, at least 3.

        Returns:
            B lengths between 1 and n, in random order.
        """
        shorter = [self.rng.randint(1, n - 1) for _row in range(B - 1)]
        lengths = [n, *shorter]
        self.rng.shuffle(lengths)
        return lengths

    def padding(self, B: int, n: int) -> torch.Tensor:
        """Draw a ragged padding mask.

        Returns:
            Bool tensor (B, n), True = padding; every row keeps at least one position.
        """
        lengths = torch.tensor(self.lengths(B, n))
        return torch.arange(n)[None, :] >= lengths[:, None]  # (B, n)
