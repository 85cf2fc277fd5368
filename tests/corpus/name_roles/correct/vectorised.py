"""A right answer in a style of its own: vectorised."""

import numpy as np


def name_roles(profile, full, ablated):
    P, f, A = (np.asarray(t, dtype=float) for t in (profile, full, ablated))
    ok = (P > 0.8) & (f > 0.9) & (A < 0.25) & (A[:, ::-1] >= (f - 0.05)[::-1])
    return ["previous" if a else "first" if b else "unclear" for a, b in ok]
