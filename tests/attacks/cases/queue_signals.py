"""Queues a signal with data to the grader.

Loot: a grader that can be stopped
Stopped by: namespaces, seccomp, landlock
"""

import ctypes
import struct

info = ctypes.create_string_buffer(struct.pack("<iii", 28, 0, -1), 128)
if (
    ctypes.CDLL(None).syscall(129, GRADER, 28, info) == 0
    or ctypes.CDLL(None).syscall(297, GRADER, GRADER, 28, info) == 0
):
    loot("queued")
