"""Asks the kernel to loosen what was put on: no filter, new privileges again, dumps of other kinds.

Loot: the walls
Stopped by: design
"""

import ctypes

libc = ctypes.CDLL(None)
for option, value in ((22, 0), (38, 0), (4, 2)):  # seccomp off, no_new_privs off, dumpable for root
    libc.prctl(option, value, 0, 0, 0)
status = attempt(lambda: open("/proc/self/status").read()) or ""
if "NoNewPrivs:\t0" in status or "Seccomp:\t0" in status:
    loot("loosened")
