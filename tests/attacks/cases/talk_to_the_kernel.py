"""Opens a netlink socket.

Loot: the machine's network and users
Stopped by: seccomp
"""

import socket

attempt(lambda: loot(socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)))
