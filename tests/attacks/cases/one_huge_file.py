"""Makes one file that seems huge.

Loot: backups that break
Stopped by: limits
"""

import signal

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def grow():
    with open("huge", "wb") as file:
        file.truncate(100 << 20)
    loot("100 MB")


attempt(grow)
