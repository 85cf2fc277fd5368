"""Makes namespaces of its own, to be root in them.

Loot: rights that reach deep into the kernel
Stopped by: seccomp
"""

import ctypes

if ctypes.CDLL(None).unshare(0x10000000) == 0:
    loot("a user namespace")
