"""Leaves shared memory of the old kind behind.

Loot: a message to the next student
Stopped by: namespaces, seccomp
"""

import ctypes

libc = ctypes.CDLL(None)
key = 0x40000000 + GRADER
if libc.shmget(key, 4096, 0o1666) >= 0 and os.path.exists(FOLDER):
    loot("a segment")
    libc.shmctl(libc.shmget(key, 0, 0), 0, None)
