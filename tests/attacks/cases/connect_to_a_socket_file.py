"""Connects to a socket that lies in a folder.

Loot: services of the machine
Stopped by: namespaces, seccomp
"""

import socket

attempt(lambda: loot(socket.socket(socket.AF_UNIX).connect(FOLDER + "/socket")))
