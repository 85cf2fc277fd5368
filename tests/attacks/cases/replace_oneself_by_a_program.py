"""Becomes another program.

Loot: a process without our limits
Stopped by: seccomp, landlock
"""

import ctypes

os.set_inheritable(1, True)
libc = ctypes.CDLL(None)
attempt(lambda: libc.execve(b"/bin/echo", (ctypes.c_char_p * 3)(b"echo", b"LOOT a program ran", None), None))
