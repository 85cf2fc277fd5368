"""Asks to trace the grader as a debugger.

Loot: everything the grader knows
Stopped by: namespaces, seccomp, landlock
"""

import ctypes

for pid in (GRADER, ZYGOTE):
    if ctypes.CDLL(None).ptrace(0x4206, pid, 0, 0) == 0:
        loot("traced", pid)
        ctypes.CDLL(None).ptrace(17, pid, 0, 0)
