"""Waits for connections.

Loot: a way in
Stopped by: namespaces, seccomp
"""

import socket

server = attempt(lambda: socket.create_server(("127.0.0.1", 0)))
if server is not None and not os.path.exists("/sys/class/net/lo") is None:
    loot(server)
