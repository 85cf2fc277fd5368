"""Fills the working folder.

Loot: a full disk
Stopped by: limits
"""

import signal
import time

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
written = 0


def fill():
    global written
    for i in range(20):
        with open(f"big{i}", "wb") as file:
            for _ in range(15):
                written += file.write(b"x" * (1 << 20))
                file.flush()
        time.sleep(0.02)


attempt(fill)
if written > 200 << 20:
    loot(written >> 20, "MB")
