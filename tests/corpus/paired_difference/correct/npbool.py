"""A right answer in a style of its own: npbool."""

import statistics as st


def paired_difference(a, b):
    d = [y - x for x, y in zip(a, b)]
    m, se = st.fmean(d), st.stdev(d) * len(d) ** -0.5
    return [m, se, not -2 * se <= m <= 2 * se]
