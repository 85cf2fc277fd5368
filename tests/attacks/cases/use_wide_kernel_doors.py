"""Uses the kernel's less guarded doors: io_uring, bpf, perf, keys, userfaultfd.

Loot: bugs of the kernel
Stopped by: seccomp
"""

import ctypes

libc = ctypes.CDLL(None)
block = ctypes.create_string_buffer(256)
for name, number, arguments in (
    ("io_uring", 425, (1, block)),
    ("keyctl", 250, (0, -3, 1)),
    ("userfaultfd", 323, (1,)),
    ("add_key", 248, (b"user", b"x", b"y", 1, -4)),
):
    if libc.syscall(number, *arguments) >= 0:
        loot(name)
