"""Recurses without end, the limit lifted.

Loot: a crash that looks like an end
Stopped by: design
Answer: wrong
"""

sys.setrecursionlimit(10**9)


def attention(q, k, v):
    return attention(q, k, v)
