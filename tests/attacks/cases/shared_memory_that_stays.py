"""Leaves shared memory of the old kind behind.

Loot: a message to the next student
Stopped by: namespaces, seccomp
"""

import ctypes

if ctypes.CDLL(None).shmget(0x4711, 4096, 0o1666) >= 0 and os.path.exists(FOLDER):
    loot("a segment")
    libc = ctypes.CDLL(None)
    libc.shmctl(libc.shmget(0x4711, 0, 0), 0, None)
