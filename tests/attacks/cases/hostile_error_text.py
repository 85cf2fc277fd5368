"""Raises an exception whose text cannot be made.

Loot: a grader that crashes
Stopped by: design
Answer: wrong
"""


class Evil(Exception):
    def __str__(self):
        raise MemoryError

    __repr__ = __str__


def attention(q, k, v):
    raise Evil
