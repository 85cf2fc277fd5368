"""population-sd, in a style of its own."""

import numpy as np


def paired_difference(a, b):
    d = np.subtract(b, a)
    se = d.std() / np.sqrt(len(d))
    return float(d.mean()), float(se), bool(abs(d.mean()) > 2 * se)
