"""Waits for connections.

Loot: a way in
Stopped by: seccomp, landlock
"""

import socket

server = attempt(lambda: socket.create_server(("127.0.0.1", 0)))
if server is not None:
    loot(server)
