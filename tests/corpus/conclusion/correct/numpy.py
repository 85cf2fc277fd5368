"""A right answer in a style of its own: numpy."""

import numpy as np


def conclusion(heads, results):
    R = np.array(results)
    m = R.mean(1)
    best = [h for h, x in zip(heads, m) if np.isclose(x, m.max(), rtol=0, atol=1e-6)]
    split = tuple(h for h, r in zip(heads, R) if (r > 0.95).any() and (r < 0.5).any())
    sig = [h for h, r in list(zip(heads, results))[1:] if paired_difference(results[0], r)[2]]
    return best, split, sig
