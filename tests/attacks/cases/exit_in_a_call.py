"""Ends the process in the middle of a call.

Loot: an end that looks like a pass
Stopped by: design
Answer: wrong
"""


def attention(q, k, v):
    os._exit(0)
