"""wald-interval, in a style of its own."""

import math


def success_share(results):
    n = len(results)
    k = sum(r > 0.95 for r in results)
    p = k / n
    w = 1.96 * math.sqrt(p * (1 - p) / n)
    return k, p, p - w, p + w
