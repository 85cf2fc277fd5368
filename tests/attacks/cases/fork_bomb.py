"""Forks until nothing is left.

Loot: a machine that stands still
Stopped by: seccomp
"""

import time

count = 0


def bomb():
    global count
    for _ in range(60):
        if os.fork() == 0:
            time.sleep(1)
            os._exit(0)
        count += 1


attempt(bomb)
if count:
    loot(count, "processes")
