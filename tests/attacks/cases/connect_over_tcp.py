"""Connects to a port of the machine.

Loot: a way to send things out
Stopped by: namespaces, seccomp, landlock
"""

import socket

attempt(lambda: loot(socket.create_connection(("127.0.0.1", PORT), 1)))
