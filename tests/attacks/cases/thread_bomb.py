"""Starts threads without end.

Loot: a machine that stands still
Stopped by: limits
"""

import threading
import time

threading.stack_size(64 << 10)
count = 0


def bomb():
    global count
    for _ in range(400):
        threading.Thread(target=time.sleep, args=(4,), daemon=True).start()
        count += 1


attempt(bomb)
if count > 250:
    loot(count, "threads")
