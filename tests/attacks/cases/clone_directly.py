"""Makes a process by the raw system calls that libc would use.

Loot: a second process
Stopped by: seccomp
"""

import ctypes

libc = ctypes.CDLL(None)
for number, arguments in ((56, (17, 0, 0, 0, 0)), (57, ()), (58, ())):
    pid = libc.syscall(number, *arguments) if number != 58 else -1
    if pid == 0:
        libc.syscall(231, 0)
    if pid > 0:
        loot("cloned", pid)
