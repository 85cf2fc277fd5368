"""Connects to a socket that has no file.

Loot: services of the machine
Stopped by: namespaces, seccomp, landlock
"""

import socket

attempt(lambda: loot(socket.socket(socket.AF_UNIX).connect(ABSTRACT)))
