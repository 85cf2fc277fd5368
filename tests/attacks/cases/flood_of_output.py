"""Prints without end.

Loot: a grader out of memory
Stopped by: design
"""


def attention(q, k, v):
    for _ in range(2000):
        os.write(1, b"A" * 65536)
        os.write(2, b"B" * 65536)
    return reference(q, k, v)


for _ in range(500):
    os.write(1, b"A" * 65536)
