"""Uses a socket pair, which is allowed, to send to somewhere else.

Loot: a way to send things out
Stopped by: namespaces, seccomp, landlock
"""

import socket

mine, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
attempt(lambda: loot(mine.sendto(b"x", FOLDER + "/socket")))
attempt(lambda: loot(mine.connect(ABSTRACT)))
