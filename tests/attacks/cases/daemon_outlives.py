"""Leaves a process behind that outlives the grading.

Loot: time without end
Stopped by: seccomp
"""

import time


def daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(3)
        os._exit(0)
    loot("left")


attempt(daemon)
