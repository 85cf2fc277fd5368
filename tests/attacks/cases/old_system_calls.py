"""Makes a system call in the form of 32-bit programs, where numbers differ.

Loot: a way past the filter
Stopped by: design
"""

import ctypes

if ctypes.CDLL(None, use_errno=True).syscall(0x40000000 | 39) > 0:
    loot("an x32 call")
