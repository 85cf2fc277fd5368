"""Mounts a file system.

Loot: files in the place of others
Stopped by: seccomp
"""

import ctypes

libc = ctypes.CDLL(None)
if libc.unshare(0x10000000 | 0x20000) == 0 and libc.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0:
    loot("mounted")
for number in (428, 430):
    if libc.syscall(number, b"tmpfs" if number == 430 else -100, 0 if number == 430 else b"/", 0) >= 0:
        loot("a handle for mounting")
