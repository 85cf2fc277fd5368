"""Tries to put a filter or a Landlock domain of its own over ours, to loosen it.

Loot: the walls
Stopped by: design
"""

import ctypes

libc = ctypes.CDLL(None)
for option in ((22, 0), (38, 0), (4, 2)):
    libc.prctl(*option, 0, 0, 0)
attempt(lambda: loot(open(TESTS).read()) if os.path.exists("/proc/self/seccomp-off") else 0)
if libc.prctl(21, 0, 0, 0, 0) == 0 and "Seccomp:\t0" in open("/proc/self/status").read():
    loot("no filter")
