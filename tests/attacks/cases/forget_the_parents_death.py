"""Clears the signal that ends it when the grader dies.

Loot: a process that stays when the grader is killed
Stopped by: seccomp
"""

import ctypes

if ctypes.CDLL(None).prctl(1, 0, 0, 0, 0) == 0:
    loot("cleared")
