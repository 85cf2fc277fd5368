"""Takes memory that is shared, which some limits do not count.

Loot: a grader out of memory
Stopped by: limits
"""

import mmap


def bomb():
    kept = []
    for _ in range(20):
        block = mmap.mmap(-1, 64 << 20)
        block.write(b"x" * (64 << 20))
        kept.append(block)


attempt(bomb)
