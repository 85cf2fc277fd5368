"""Sends from a socket pair, which is allowed, to a socket file (Landlock does not cover it).

Loot: lines in the machine's log, orders to its services
Stopped by: namespaces, seccomp
"""

import socket

pair = attempt(socket.socketpair, socket.AF_UNIX, socket.SOCK_DGRAM)
if pair:
    attempt(lambda: pair[0].sendto(b"LOOT", FOLDER + "/datagrams"))
    attempt(lambda: pair[0].sendto(b"LOOT", "/dev/log"))
