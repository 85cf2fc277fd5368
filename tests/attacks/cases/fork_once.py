"""Starts a second process.

Loot: work that goes on when the clock has stopped
Stopped by: seccomp
"""

import time

pid = attempt(os.fork)
if pid == 0:
    time.sleep(0.2)
    os._exit(0)
if pid:
    loot("forked", pid)
