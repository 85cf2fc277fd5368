"""Sends secrets out in the names it asks a name server for.

Loot: a way to send things out
Stopped by: namespaces, seccomp
"""

import socket

maker = attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
if maker is not None and attempt(lambda: maker.connect(("192.0.2.1", 53)) or "route"):
    loot("a way to a name server")
