"""Ends its first thread, by which others look at it, and fills the disk from another.

Loot: a full disk
Stopped by: limits
"""

import time

import ctypes
import threading

MB = b"x" * (1 << 20)
kept = []


def fill():
    time.sleep(0.2)
    for i in range(20):
        kept.append(open(f"unseen{i}", "wb", buffering=0))
        os.unlink(f"unseen{i}")
        for _ in range(15):
            kept[-1].write(MB)
        time.sleep(0.02)
    loot("300 MB")


def leave():
    ctypes.CDLL(None).syscall({"x86_64": 60, "aarch64": 93}[os.uname().machine], 0)


threading.Thread(target=lambda: (attempt(fill), os._exit(0))).start()
leave()
