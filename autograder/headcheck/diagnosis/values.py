"""Compares values as fingerprints."""

from __future__ import annotations

from typing import Any

import torch

TOLERANCE = 1e-5


def close(predicted: torch.Tensor, got: torch.Tensor) -> bool:
    """Compare two tensors: same shape, same numbers within tolerance, NaN equal to NaN."""
    if predicted.shape != got.shape:
        return False
    a, b = predicted.detach(), got.detach()
    if a.dtype != b.dtype or a.dtype != torch.float32:
        a, b = a.to(torch.float64), b.to(torch.float64)
    elif a.numel() > 8:
        # Nearly all predictions are wrong, and few numbers show it in a fraction of the time.
        x, y = a.numpy(), b.numpy()
        for place in (a.numel() // 2, a.numel() // 3, a.numel() - 1):
            p, q = x.item(place), y.item(place)
            if abs(p - q) > TOLERANCE + TOLERANCE * abs(q):
                return False
    return torch.allclose(a, b, atol=TOLERANCE, rtol=TOLERANCE, equal_nan=True)


def quick_same(predicted: Any, got: Any) -> bool:
    """Compare the values of a task in stages: tensors, and tuples or lists of them."""
    if isinstance(predicted, torch.Tensor) and isinstance(got, torch.Tensor):
        return close(predicted, got)
    if isinstance(predicted, (tuple, list)) and isinstance(got, (tuple, list)):
        return len(predicted) == len(got) and all(map(quick_same, predicted, got))
    return predicted is None and got is None
