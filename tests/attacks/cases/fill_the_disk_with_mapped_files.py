"""Fills the disk with files that it deletes and closes but keeps mapped.

Loot: a full disk
Stopped by: limits
"""

import time

import mmap

MB = b"x" * (1 << 20)
kept = []


def fill():
    for i in range(20):
        with open(f"mapped{i}", "wb+", buffering=0) as file:
            for _ in range(15):
                file.write(MB)
            kept.append(mmap.mmap(file.fileno(), 4096))
        os.unlink(f"mapped{i}")
        time.sleep(0.02)
    loot("300 MB")


attempt(fill)
