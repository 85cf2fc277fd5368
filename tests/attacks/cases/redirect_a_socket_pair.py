"""Connects one end of a socket pair, which is allowed, to a service of the machine.

Loot: services of the machine
Stopped by: design
"""

import socket

for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET):
    pair = attempt(socket.socketpair, socket.AF_UNIX, kind)
    if pair:
        attempt(lambda: loot(pair[0].connect(ABSTRACT)))
        attempt(lambda: loot(pair[0].connect(FOLDER + "/socket")))
