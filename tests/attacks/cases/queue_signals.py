"""Queues a signal with data to the grader.

Loot: a grader that can be stopped
Stopped by: namespaces, seccomp
"""

import ctypes

info = ctypes.create_string_buffer(128)
info[0], info[8] = 28, 0xFF
for number in (129, 297):
    arguments = (GRADER, 28, info) if number == 129 else (GRADER, GRADER, 28, info)
    ctypes.memmove(ctypes.addressof(info) + 8, (-1).to_bytes(4, "little", signed=True), 4)
    if ctypes.CDLL(None).syscall(number, *arguments) == 0:
        loot("queued")
