"""Crashes the interpreter.

Loot: a crash that looks like an end
Stopped by: design
Answer: wrong
"""

import ctypes


def attention(q, k, v):
    ctypes.string_at(0)
