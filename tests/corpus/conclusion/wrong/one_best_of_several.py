"""one-best-of-several, in a style of its own."""


def conclusion(heads, results):
    m = [sum(r) / len(r) for r in results]
    best = [heads[m.index(max(m))]]
    split = [h for h, r in zip(heads, results) if max(r) > 0.95 and min(r) < 0.5]
    return best, split, [h for h, r in zip(heads[1:], results[1:]) if paired_difference(results[0], r)[2]]
