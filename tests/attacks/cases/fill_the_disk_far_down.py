"""Fills the disk so many folders deep that no path leads there.

Loot: a full disk
Stopped by: limits
"""

import time

MB = b"x" * (1 << 20)
kept = []


def fill():
    for _ in range(2500):
        os.mkdir("d")
        os.chdir("d")
    for i in range(20):
        with open(f"deep{i}", "wb") as file:
            for _ in range(15):
                file.write(MB)
        time.sleep(0.02)
    loot("300 MB")


attempt(fill)
