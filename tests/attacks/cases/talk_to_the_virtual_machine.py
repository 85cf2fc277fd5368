"""Opens a socket to the machine's host.

Loot: a way out of the virtual machine
Stopped by: seccomp
"""

import socket

attempt(lambda: loot(socket.socket(socket.AF_VSOCK)))
