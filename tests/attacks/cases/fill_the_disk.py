"""Fills the working folder.

Loot: a full disk
Stopped by: limits
"""

import signal

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
written = 0


def fill():
    global written
    for i in range(12):
        with open(f"big{i}", "wb") as file:
            for _ in range(12):
                written += file.write(b"x" * (1 << 20))
                file.flush()


attempt(fill)
if written > 64 << 20:
    loot(written >> 20, "MB")
