"""Keeps an answer and returns it again.

Loot: one right answer for all questions
Stopped by: design
Answer: wrong
"""

kept = []


def attention(q, k, v):
    kept.append(reference(q, k, v))
    return kept[0]
