"""Switches address randomisation off for bugs to come.

Loot: an easier kernel to break
Stopped by: seccomp
"""

import ctypes

if ctypes.CDLL(None).personality(0x40000) >= 0:
    loot("changed")
