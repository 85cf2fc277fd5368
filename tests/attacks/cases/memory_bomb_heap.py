"""Takes memory on the heap.

Loot: a grader out of memory
Stopped by: limits
"""


def bomb():
    kept = []
    for _ in range(20):
        kept.append(b"x" * (64 << 20))


attempt(bomb)
