"""significance-of-gains-only, in a style of its own."""

import numpy as np


def paired_difference(a, b):
    d = np.subtract(b, a)
    se = d.std(ddof=1) / np.sqrt(len(d))
    return float(d.mean()), float(se), bool(d.mean() > 2 * se)
