"""Makes a process with clone3, whose flags no filter can see.

Loot: a second process
Stopped by: seccomp
"""

import ctypes
import struct

libc = ctypes.CDLL(None)
arguments = ctypes.create_string_buffer(struct.pack("<11Q", 0, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0))
pid = libc.syscall(435, arguments, 88)
if pid == 0:
    libc.syscall(231, 0)
if pid > 0:
    loot("cloned", pid)
