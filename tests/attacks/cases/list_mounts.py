"""Asks the kernel for the machine's mounts.

Loot: the machine's disks and folders
Stopped by: namespaces, seccomp
"""

import ctypes
import struct

request = ctypes.create_string_buffer(struct.pack("<IIQQQ", 24, 0, 0xFFFFFFFFFFFFFFFF, 0, 0))
found = (ctypes.c_uint64 * 256)()
count = ctypes.CDLL(None).syscall(458, request, found, 256, 0)
if count > 40 or (count > 0 and os.path.exists(FOLDER)):
    loot(count, "mounts")
