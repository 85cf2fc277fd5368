"""Returns a tensor that claims to be huge.

Loot: a grader out of memory
Stopped by: design
Answer: wrong
"""


def attention(q, k, v):
    return torch.zeros(1).expand(4_000_000_000)
