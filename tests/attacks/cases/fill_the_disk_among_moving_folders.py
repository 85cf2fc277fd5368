"""Fills the disk while folders come, move and go, so that whoever adds it up never sees it all.

Loot: a full disk
Stopped by: limits
"""

import threading
import time

MB = b"x" * (1 << 20)
filling = True


def churn(name):
    while filling:
        os.mkdir(name)
        os.rename(name, f"{name}2")
        os.rmdir(f"{name}2")


def fill():
    for i in range(20):
        with open(f"big{i}", "wb") as file:
            for _ in range(15):
                file.write(MB)
        time.sleep(0.02)
    loot("300 MB")


for name in "pqr":
    threading.Thread(target=attempt, args=(churn, name)).start()
attempt(fill)
filling = False
