"""Sends a UDP datagram.

Loot: a way to send things out
Stopped by: namespaces, seccomp
"""

import socket

attempt(lambda: loot(socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", PORT))))
