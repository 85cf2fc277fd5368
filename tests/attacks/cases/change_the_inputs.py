"""Changes the inputs in place, in the hope that they are used again.

Loot: full points for a wrong answer
Stopped by: design
Answer: wrong
"""


def attention(q, k, v):
    for x in (q, k, v):
        x.zero_()
    return torch.zeros_like(v)
