"""Has pages of the grader moved between nodes.

Loot: a slow grader
Stopped by: namespaces, seccomp, landlock
"""

import ctypes

mask = ctypes.c_ulong(1)
if ctypes.CDLL(None).syscall(256, GRADER, 8, ctypes.byref(mask), ctypes.byref(mask)) == 0:
    loot("moved")
