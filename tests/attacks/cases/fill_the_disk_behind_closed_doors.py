"""Fills the disk in folders that nobody may list.

Loot: a full disk
Stopped by: limits
"""

import time

MB = b"x" * (1 << 20)
kept = []


def fill():
    os.umask(0)
    for i in range(20):
        os.mkdir(f"closed{i}", 0o300)
        with open(f"closed{i}/file", "wb") as file:
            for _ in range(15):
                file.write(MB)
        time.sleep(0.02)
    loot("300 MB")


attempt(fill)
