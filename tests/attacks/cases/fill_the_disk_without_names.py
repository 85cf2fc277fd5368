"""Fills the disk with files that never have a name.

Loot: a full disk
Stopped by: limits
"""

import time

MB = b"x" * (1 << 20)
kept = []


def fill():
    for _ in range(20):
        kept.append(os.open(".", os.O_TMPFILE | os.O_RDWR, 0o600))
        for _ in range(15):
            os.write(kept[-1], MB)
        time.sleep(0.02)
    loot("300 MB")


attempt(fill)
