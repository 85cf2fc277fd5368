"""Fills the disk with files that it deletes but keeps open.

Loot: a full disk
Stopped by: limits
"""

import time

MB = b"x" * (1 << 20)
kept = []


def fill():
    for i in range(20):
        kept.append(open(f"unseen{i}", "wb", buffering=0))
        os.unlink(f"unseen{i}")
        for _ in range(15):
            kept[-1].write(MB)
        time.sleep(0.02)
    loot("300 MB")


attempt(fill)
